// Package message sends messages.
//
// A message is one row, and one event in the log, whatever its audience. Who received and who
// has read it is derived from subscriptions and marks (docs/decisions). Sending usually needs one round trip to
// PostgreSQL: this package checks the sender's permissions with cached facts about
// the stream, and the statement that stores the message verifies, under the stream's lock, that they
// are current. If they aren't, they are read and the permissions checked again.
package message
