// Package feed reads the messages of a narrow around an anchor, the topics of a stream, and the text of a message.
//
// It promises:
//
//   - Callers can read only messages that they have received or marked, and the history that they have access to
//     (rest-api.md, sections 1.9 and 2.4.3).
//   - The number of statements of a request is small and doesn't depend on the number of messages. The time to find the messages
//     doesn't depend on the number of messages in the organization: see store.Tx.Messages.
//   - Read state is computed when messages are read, see docs/decisions/0009-read-state.md.
package feed
