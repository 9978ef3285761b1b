// Package id defines the identifiers as distinct types, so that the compiler refuses, for example, the id of a stream
// in place of that of a user. It doesn't import other packages of this module.
//
// All of them are positive 64-bit integers from PostgreSQL sequences. Zero means "none".
package id

import "strconv"

type (
	// Org identifies an organization of this server.
	Org int64
	// User identifies a person or a bot. It is unique among all organizations of the server.
	User int64
	// Stream identifies a stream. It is unique among all streams and conversations of the server.
	Stream int64
	// Conversation identifies the participants of a private conversation. It is unique among all streams and
	// conversations of the server.
	Conversation int64
	// Message identifies a message. Message ids increase over the whole server, in the order in which the messages of
	// one conversation were accepted.
	Message int64
	// Group identifies a user group. It is unique among all organizations of the server.
	Group int64
	// Login identifies a program that is signed in to an account. It is unique among all organizations of the server.
	Login int64
	// Device identifies a browser that shows notifications. It is unique among all organizations of the server.
	Device int64
	// Attachment identifies an uploaded file. It is unique among all organizations of the server.
	Attachment int64
)

// Convert converts ids to numbers, or numbers to ids. It never returns nil.
func Convert[To, From ~int64](from []From) []To {
	to := make([]To, len(from))
	for i, n := range from {
		to[i] = To(n)
	}
	return to
}

// String returns the number in decimal.
func (u User) String() string { return strconv.FormatInt(int64(u), 10) }
