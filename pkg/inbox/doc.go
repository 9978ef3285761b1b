// Package inbox tracks the messages that an account has received: which are unread, which are starred, and its private
// conversations.
//
// It promises:
//
//   - Received messages follow from the account's subscriptions and conversations, and read messages from its marks. There is no row
//     for each reader and message.
//   - Each list is one statement. Its cost grows with the account's subscriptions and conversations
//     and with the length of the list, not with the number of messages or accounts in the organization.
package inbox
