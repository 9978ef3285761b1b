// Package inbox is what has come to somebody: which messages wait to be read, which private
// conversations are going on, and what they starred.
//
// It promises:
//
//   - What somebody received follows from their subscriptions and conversations, what of it they have
//     read from marks; nothing is kept per reader and message.
//   - Each function is one statement. Its cost grows with the user's subscriptions and conversations
//     and with what it returns, not with how many messages or other people there are.
package inbox
