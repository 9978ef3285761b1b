// Package messages has the endpoints of messages: sending, reading, searching, editing and deleting them,
// their flags and reactions, and that somebody is typing.
package messages
