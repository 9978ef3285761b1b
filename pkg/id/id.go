// Package id holds the identifiers of the product's nouns as distinct types, so that a stream's
// number can't be passed where a user's is meant. It imports nothing of ours.
//
// All of them are positive 64-bit integers that PostgreSQL sequences hand out; zero means "none".
package id

import "strconv"

type (
	// Org identifies an organization of this server.
	Org int64
	// User identifies a person or a bot; unique over all organizations of the server.
	User int64
	// Stream identifies a stream; unique over all streams and conversations of the server.
	Stream int64
	// Conversation identifies the set of participants of a private conversation; unique over all
	// streams and conversations of the server.
	Conversation int64
	// Message identifies a message. Message ids grow over the whole server, in the order in which
	// the messages of one conversation were accepted.
	Message int64
	// Group identifies a user group; unique over all organizations of the server.
	Group int64
	// Login identifies a program that is signed in as an account; unique over all organizations of the server.
	Login int64
	// Device identifies a browser that shows notifications; unique over all organizations of the server.
	Device int64
	// Attachment identifies an uploaded file; unique over all organizations of the server.
	Attachment int64
)

// Convert returns ids as numbers, or numbers as ids, in their order; never nil.
func Convert[To, From ~int64](from []From) []To {
	to := make([]To, len(from))
	for i, n := range from {
		to[i] = To(n)
	}
	return to
}

// String is the number in decimal.
func (u User) String() string { return strconv.FormatInt(int64(u), 10) }
