// Package streams is the part of the interface that is about streams.
package streams
