// Package streams has the endpoints of streams: finding, changing and ending them, and which of them new
// accounts are subscribed to. Streams are made by subscribing to them.
package streams
