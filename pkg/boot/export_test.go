package boot

import (
	"log/slog"
	"net"
	"time"
)

// Entrance is a listener that lets in so many connections at a time.
func Entrance(listener net.Listener, most int) net.Listener {
	return newDoor(most, time.Now, slog.New(slog.DiscardHandler)).at(listener)
}

// Bounds are how many connections there may be, in package http's server and outside, with so much memory.
func Bounds(configured int, memory int64) (connections, parked int) {
	return bound(configured, memory, memoryPerConnection), bound(configured, memory, memoryPerParked)
}
