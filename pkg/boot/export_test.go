package boot

import (
	"log/slog"
	"net"
	"net/http"
	"time"
)

// Entrance is a listener that lets in so many connections at a time, and what http.Server.ConnState is for it.
func Entrance(listener net.Listener, most int, now func() time.Time) (net.Listener, func(net.Conn, http.ConnState)) {
	d := newDoor(most, now, slog.New(slog.DiscardHandler))
	return d.at(listener), d.changed
}

// Bounds are how many connections there may be, in package http's server and outside, with so much memory.
func Bounds(configured int, memory int64) (connections, parked int) {
	return bound(configured, memory, memoryPerConnection), bound(configured, memory, memoryPerParked)
}
