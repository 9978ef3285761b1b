package boot

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"time"
)

// LimitedListener returns a listener that accepts up to limit connections at a time, and its http.Server.ConnState.
func LimitedListener(listener net.Listener, maxConns int, now func() time.Time) (net.Listener, func(net.Conn, http.ConnState)) {
	l := newConnLimiter(maxConns, 0, now, slog.New(slog.DiscardHandler))
	return l.listener(listener, func() time.Duration { return 0 }), l.changed
}

// Watched is like LimitedListener, for a server. It also returns a function that allows the connection of a request to be
// replaced.
func Watched(listener net.Listener, maxConns int, now func() time.Time, server *http.Server) (
	limited net.Listener, release func(ctx context.Context) (closed <-chan struct{}, resume func()),
) {
	l := newConnLimiter(maxConns, 0, now, slog.New(slog.DiscardHandler))
	l.watch(server)
	return l.listener(listener, func() time.Duration { return 0 }), l.release
}

// Sparing is like LimitedListener, for any number of connections. It leaves file descriptors from a number on for other
// uses.
func Sparing(listener net.Listener, descriptors int, now func() time.Time) (net.Listener, func(net.Conn, http.ConnState)) {
	l := newConnLimiter(0, descriptors, now, slog.New(slog.DiscardHandler))
	return l.listener(listener, func() time.Duration { return 0 }), l.changed
}

// Paced returns a listener that returns connections at a limited rate: a burst at once, then one for each interval. Up to
// most of them wait.
func Paced(listener net.Listener, maxConns int) (paced net.Listener, atOnce int, interval time.Duration) {
	p := pace(listener, maxConns, time.Now)
	return p, burst, p.interval
}

// Bounds returns the limits on connections in package http's server and outside of it, for the memory.
func Bounds(configured int, memory int64) (connections, parked int) {
	return bound(configured, memory, memoryPerConnection), bound(configured, memory, memoryPerParked)
}
