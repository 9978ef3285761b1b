// Package messages has the endpoints of messages: sending, reading, searching, editing and deleting them,
// their flags and reactions, and typing notifications.
package messages
