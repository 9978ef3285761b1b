package boot

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"time"
)

// Entrance returns a listener that accepts up to most connections at a time, and its http.Server.ConnState.
func Entrance(listener net.Listener, most int, now func() time.Time) (net.Listener, func(net.Conn, http.ConnState)) {
	d := newDoor(most, 0, now, slog.New(slog.DiscardHandler))
	return d.at(listener), d.changed
}

// Watched is like Entrance, for a server. It also returns a function that allows the connection of a request to be
// replaced.
func Watched(listener net.Listener, most int, now func() time.Time, server *http.Server) (
	entrance net.Listener, rest func(ctx context.Context) (left <-chan struct{}, resume func()),
) {
	d := newDoor(most, 0, now, slog.New(slog.DiscardHandler))
	d.watch(server)
	return d.at(listener), d.rest
}

// Sparing is like Entrance, for any number of connections. It leaves file descriptors from a number on for other
// uses.
func Sparing(listener net.Listener, descriptors int, now func() time.Time) (net.Listener, func(net.Conn, http.ConnState)) {
	d := newDoor(0, descriptors, now, slog.New(slog.DiscardHandler))
	return d.at(listener), d.changed
}

// Bounds returns the limits on connections in package http's server and outside of it, for the memory.
func Bounds(configured int, memory int64) (connections, parked int) {
	return bound(configured, memory, memoryPerConnection), bound(configured, memory, memoryPerParked)
}
