package boot

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"time"
)

// Entrance is a listener that lets in so many connections at a time, and what http.Server.ConnState is for it.
func Entrance(listener net.Listener, most int, now func() time.Time) (net.Listener, func(net.Conn, http.ConnState)) {
	d := newDoor(most, 0, now, slog.New(slog.DiscardHandler))
	return d.at(listener), d.changed
}

// Watched is Entrance for a server, and what lets the connection of a request make room.
func Watched(listener net.Listener, most int, now func() time.Time, server *http.Server) (
	entrance net.Listener, rest func(ctx context.Context) (left <-chan struct{}, resume func()),
) {
	d := newDoor(most, 0, now, slog.New(slog.DiscardHandler))
	d.watch(server)
	return d.at(listener), d.rest
}

// Sparing is an Entrance for any number of connections that leaves file descriptors from a number on to others.
func Sparing(listener net.Listener, descriptors int, now func() time.Time) (net.Listener, func(net.Conn, http.ConnState)) {
	d := newDoor(0, descriptors, now, slog.New(slog.DiscardHandler))
	return d.at(listener), d.changed
}

// Bounds are how many connections there may be, in package http's server and outside, with so much memory.
func Bounds(configured int, memory int64) (connections, parked int) {
	return bound(configured, memory, memoryPerConnection), bound(configured, memory, memoryPerParked)
}
