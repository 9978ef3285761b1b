// Package message sends messages, and finds out who may see or change a sent one.
//
// A message is one row, and one event in the log, whatever the size of its audience. Who has received it and who has
// read it are derived from subscriptions and marks (docs/decisions/0009-read-state.md).
//
// Sending usually takes one round trip to PostgreSQL (docs/decisions/0004-sending.md): this package checks the sender's
// permission with cached facts about the stream, and the statement that stores the message verifies, under the stream's
// lock, that the facts are current. If they aren't, they are read again, and the permission is checked again.
package message
