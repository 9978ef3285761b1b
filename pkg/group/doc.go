// Package group manages user groups: named groups of people who can be mentioned together (rest-api.md, section 5.9).
//
// It promises:
//
//   - All changes of an organization's groups, and their events, are in one order.
//   - A change is one row. What bounds groups bounds the initial state, which has all of them, and a message that
//     mentions some: see [MaxMembers] and [MaxMemberships].
package group
