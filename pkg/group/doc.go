// Package group manages user groups: named groups of accounts that can be mentioned together (rest-api.md, section 5.9).
//
// It promises:
//
//   - All changes of an organization's groups, and their events, are in the same order.
//   - A change writes one row. [MaxMembers] and [MaxMemberships] also limit the initial state, which has all groups, and the work for a
//     message that mentions groups.
package group
