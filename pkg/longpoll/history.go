package longpoll

import (
	"context"
	"net"
	"net/http"
)

type historyKey struct{}

// history is what has come on a connection of package http's server. Its requests come one after another.
type history struct{ polls int }

// Remember is for http.Server.ConnContext: it lets [Polled] and [Strayed] know the connection.
func Remember(ctx context.Context, _ net.Conn) context.Context {
	return context.WithValue(ctx, historyKey{}, &history{})
}

// Polled notes that a request is a poll, and reports whether the one before on its connection was one, too:
// then it is worth while to take the connection out of package http's server at once.
func Polled(r *http.Request) (again bool) {
	h, ok := r.Context().Value(historyKey{}).(*history)
	if !ok {
		return false
	}
	h.polls++
	return h.polls > 1
}

// Strayed notes that a request is no poll.
func Strayed(r *http.Request) {
	if h, ok := r.Context().Value(historyKey{}).(*history); ok {
		h.polls = 0
	}
}
