// Package streams has the endpoints of streams: finding, changing and deactivating them, and the default streams of new
// accounts. Streams are created by subscribing to them.
package streams
