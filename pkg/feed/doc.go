// Package feed reads what clients show: the messages of a narrow around a place in time, the topics of a stream,
// and the text of one message.
//
// It promises:
//
//   - Somebody reads what they received or marked, and the history that is open to them; nothing else
//     (rest-api.md, sections 1.9 and 2.4.3).
//   - A request is a handful of statements, however many messages it asks for, and finding those
//     doesn't get slower with how many there are: see store.Tx.Messages.
//   - Read state is that of docs/decisions/0009-read-state.md, worked out with the messages.
package feed
