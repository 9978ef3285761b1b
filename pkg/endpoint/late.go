package endpoint

import (
	"bytes"
	"context"
	"net/http"
)

// Wait waits for what a request is about, and appends the answer's body to what memory returns, which is used again
// for others; it calls memory when it has waited. Its context may not end when the client goes away: nobody notices
// that until something is written.
type Wait func(ctx context.Context, memory func() []byte) (body []byte, err error)

// park has the call answered when wait returns, and reports false where its connection can't leave package http's
// server. What waits then is a connection with a small goroutine, without the stacks and buffers that package http
// keeps for a request.
func (c *call) park(wait Wait) bool {
	if c.router.cfg.Park == nil {
		return false
	}
	// What is kept of the request while it waits is what an answer, and the log, say of it.
	kept := &call{
		router: c.router, endpoint: c.endpoint, r: &http.Request{Method: c.r.Method},
		who: c.who, number: c.number, sentID: c.sentID, began: c.began,
	}
	c.parked = c.router.cfg.Park(c.w, c.r, func(ctx context.Context, w http.ResponseWriter) {
		kept.w = w
		defer kept.finish(ctx)
		b := (*buffer)(nil)
		body, err := wait(kept.context(ctx), func() []byte {
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
	return c.parked
}
