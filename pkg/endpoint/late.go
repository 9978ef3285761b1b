package endpoint

import (
	"bytes"
	"context"
	"errors"
	"net/http"

	"chatserver.dev/pkg/longpoll"
)

// ErrLate is what a handler of [Raw] returns after [Late.Answer] took its place.
var ErrLate = errors.New("endpoint: the answer comes late")

// Late lets a handler of [Raw] have the answer made after it has returned. What waits then is a connection
// with a small goroutine, without the stacks and buffers that package http keeps for a request.
type Late struct{ call *call }

// IsWorthwhile reports whether to answer late from the beginning: the connection has left the server already,
// or does nothing but poll. It is called once.
func (l Late) IsWorthwhile() bool { return longpoll.IsParked(l.call.w) || longpoll.Polled(l.call.r) }

// Answer has the answer made by late, in another goroutine or when the handler has returned; the handler has
// to return [ErrLate]. late appends the answer to what memory returns, which is used again for others; it calls memory when it
// has waited. late's context doesn't end when the client goes away: nobody notices that until
// something is written. Answer reports false where that can't be: then the handler answers.
func (l Late) Answer(late func(ctx context.Context, memory func() []byte) (body []byte, err error)) bool {
	c := l.call
	if c.router.park == nil {
		return false
	}
	// What is kept of the request while it waits is what an answer, and the log, say of it.
	kept := &call{
		router: c.router, endpoint: c.endpoint, r: &http.Request{Method: c.r.Method},
		who: c.who, number: c.number, sentID: c.sentID, began: c.began,
	}
	c.taken = c.router.park(c.w, c.r, func(ctx context.Context, w http.ResponseWriter) {
		kept.w = w
		defer kept.finish(ctx)
		b := (*buffer)(nil)
		body, err := late(kept.context(ctx), func() []byte {
			b = kept.router.getBuffer()
			return b.buf.AvailableBuffer()
		})
		if err != nil {
			kept.fail(ctx, err)
			return
		}
		kept.write(http.StatusOK, body)
		if b != nil {
			b.buf = *bytes.NewBuffer(body)
			kept.router.putBuffer(b)
		}
	})
	return c.taken
}
