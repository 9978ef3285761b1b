// Package topic manages what people set for topics: which of them are muted.
//
// It promises:
//
//   - A topic belongs to one stream and is compared without case. It need not have messages.
//   - After each change, the user's clients receive the complete list, in the order of the changes.
package topic
