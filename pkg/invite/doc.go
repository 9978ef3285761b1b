// Package invite lets people join organizations (rest-api.md, section 5.11): with an invitation by mail, with a link for anyone,
// or, if the organization requires no invitation, by signing up.
//
// It promises:
//
//   - People who join have received a mail at the address of their account.
//   - An inviter can't give a higher role than their own, or invite to streams that they can't see.
//   - Invited people are subscribed only to streams that they could enter without the invitation, or to which the inviter can add people
//     at that time.
//   - A link in a mail creates at most one account. A withdrawn invitation creates none.
//   - The number of invitations that an account and an organization send in a day is limited.
package invite
