package endpoint

import (
	"bytes"
	"context"
	"net/http"
	"strings"

	"chatserver.dev/pkg/longpoll"
)

// Later answers a request that waits: a [Wait] or a [Stream]. Its context may not end when the client goes away: nobody
// notices that until something is written.
type Later interface {
	answer(ctx context.Context, c *call)
}

// Wait waits for what a request is about, and appends the answer's body to what memory returns, which is used again
// for others; it calls memory when it has waited.
type Wait func(ctx context.Context, memory func() []byte) (body []byte, err error)

// Stream answers with server-sent events (WHATWG HTML, section 9.2) as they come. An error before anything was sent is the
// answer; after that the answer just ends.
type Stream func(ctx context.Context, to *Sender) error

// Sender sends the events of a [Stream]. It is for one goroutine at a time.
type Sender struct {
	call    *call
	control *http.ResponseController
}

// Send sends whole events and comments. It fails where the client doesn't receive them in ten to fifteen seconds, and a
// second for each 64 KiB.
func (s *Sender) Send(events []byte) error {
	c := s.call
	defer c.settle(0) // whatever these took
	if c.status == 0 {
		c.beginStream()
	}
	if c.r.Method == http.MethodHead {
		return http.ErrBodyNotAllowed
	}
	if _, err := c.w.Write(events); err != nil {
		return err
	}
	return s.control.Flush()
}

// TrySend sends what can be sent without waiting for the client, after the first Send. What it leaves is sent by the
// next Send, of nothing or of more.
func (s *Sender) TrySend(events []byte) longpoll.Outcome { return longpoll.TrySend(s.call.w, events) }

// EventStream reports whether the client of the request that ctx belongs to wants server-sent events, and which event it had
// last, as it says when it comes back; empty: it says nothing.
func EventStream(ctx context.Context) (last string, wanted bool) {
	c, ok := ctx.Value(requestIDKey{}).(*call)
	if !ok {
		return "", false
	}
	for _, accepted := range c.r.Header.Values("Accept") {
		for kind := range strings.SplitSeq(accepted, ",") {
			kind, _, _ = strings.Cut(kind, ";")
			wanted = wanted || strings.EqualFold(strings.TrimSpace(kind), eventStream)
		}
	}
	return c.r.Header.Get("Last-Event-ID"), wanted
}

const eventStream = "text/event-stream"

// park has the call answered later, and reports false where its connection can't leave package http's
// server. What waits then is a connection with a small goroutine, without the stacks and buffers that package http
// keeps for a request.
func (c *call) park(later Later) bool {
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
		later.answer(ctx, kept)
	})
	return c.parked
}

func (wait Wait) answer(ctx context.Context, c *call) {
	b := (*buffer)(nil)
	body, err := wait(c.context(ctx), func() []byte {
		b = c.router.getBuffer()
		return b.buf.AvailableBuffer()
	})
	if err == nil {
		err = c.settleAnswer(ctx, cap(body))
	}
	if err != nil {
		c.fail(ctx, err)
		return
	}
	c.write(http.StatusOK, body)
	if b != nil {
		b.buf = *bytes.NewBuffer(body)
		c.router.putBuffer(b)
	}
}

func (stream Stream) answer(ctx context.Context, c *call) {
	err := stream(c.context(ctx), &Sender{c, http.NewResponseController(c.w)})
	if err != nil && c.status == 0 {
		c.fail(ctx, err)
	}
}

func (c *call) beginStream() {
	h := c.w.Header()
	h["Content-Type"] = c.router.headers.eventStream
	h["X-Accel-Buffering"] = c.router.headers.unbuffered // nginx would keep events until there are more
	c.sayEnding()
	c.status = http.StatusOK
	c.w.WriteHeader(c.status)
}
