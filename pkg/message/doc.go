// Package message sends messages.
//
// A message is one row, and one event in the log, whatever its audience: who received it, and who
// has read it, follows from subscriptions and marks (docs/decisions). Sending is one round trip to
// PostgreSQL in the common case: what the sender may do is decided here with what is remembered of
// the stream, and the statement that stores the message checks, under the stream's lock, that this
// still holds. If it doesn't, it is read again and decided again.
package message
