// Package inbox tracks what somebody received: which messages are unread, which private conversations there are, and what
// they starred.
//
// It promises:
//
//   - What somebody received follows from their subscriptions and conversations, what of it they have
//     read from marks; nothing is kept per reader and message.
//   - Each list is one statement. Its cost grows with the user's subscriptions and conversations
//     and with what it returns, not with how many messages or other people there are.
package inbox
