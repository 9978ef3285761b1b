// Package topic is what people say of topics for themselves: which of them are muted.
//
// It promises:
//
//   - A topic belongs to one stream and is compared without case. It need not have messages.
//   - Whoever mutes or unmutes is told the whole list, in the order in which it changed.
package topic
