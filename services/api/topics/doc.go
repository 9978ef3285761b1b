// Package topics has the endpoints of topics: those of a stream, and which of them the caller mutes.
package topics
