// Package invite brings people into organizations (rest-api.md, section 5.11): by an invitation that is mailed to them, by a link that
// anybody may join by, or, where no invitation is required, by signing up.
//
// It promises:
//
//   - Whoever joins has read a mail at the address that their account gets.
//   - Nobody invites to a higher role than their own, or to streams that they can't see.
//   - Invited people are subscribed only to streams that they could enter without the invitation, or that the inviter can add people to when they join.
//   - A link in a mail makes one account; an invitation that was withdrawn makes none.
//   - How many invitations an account and an organization send in a day is limited.
package invite
