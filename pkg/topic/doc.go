// Package topic manages the settings of accounts for topics: which of them are muted.
//
// It promises:
//
//   - A topic belongs to one stream. Names are compared ignoring letter case. A topic needs no messages to be
//     muted.
//   - After each change, the account's clients receive the complete list, in the order of the changes.
package topic
