package endpoint

import (
	"bytes"
	"context"
	"net/http"
	"strings"

	"chatserver.dev/pkg/longpoll"
)

// Later answers a request that waits: a [Wait], a [Repeats] or a [Stream]. Its context may outlive the client's connection, since
// that the client is gone may be noticed only at a write. When the context ends, Later is called once more, and must not wait.
type Later interface {
	// answer answers, or returns false where it has to wait. Then it is called again after to.Wake.
	answer(ctx context.Context, to *Sender) (answered bool)
}

// Wait waits for what a request is about, and returns the answer's body, which it may append to to.Memory(). It returns
// false where it has to wait, without holding a goroutine meanwhile: it is called again after to.Wake.
type Wait func(ctx context.Context, to *Sender) (body []byte, done bool, err error)

// Repeats is a [Wait] whose client asks again and again over one connection, with another number each time.
type Repeats struct {
	Wait Wait
	// Next prepares Wait for a request that is the same as the one before except for its number (longpoll.Config), of the same
	// caller. It reports false where the handler has to look at the request. It doesn't block.
	Next func(number int64) bool
}

// Stream answers with server-sent events (WHATWG HTML, section 9.2) as they come, and returns false to be called again
// after to.Wake. An error before anything was sent is the answer; after that the answer just ends.
type Stream func(ctx context.Context, to *Sender) (done bool, err error)

// Sender is where a [Later] sends to. It is for one goroutine at a time, except for Wake.
type Sender struct {
	call   *call
	ctx    context.Context //nolint:containedctx // of the requests of one connection, made once; nil: no answer was called yet
	wake   func()
	memory *buffer // that an answer is made in; nil: none
}

// Wake causes a [Later] that waits, or is about to, to be called again.
func (s *Sender) Wake() { s.wake() }

// Memory returns memory for an answer, which is used again for others. It is called when there is an answer.
func (s *Sender) Memory() []byte {
	if s.memory == nil {
		s.memory = s.call.router.getBuffer()
	}
	return s.memory.buf.AvailableBuffer()
}

// TryAnswer sends the answer of a [Wait] that waits, without waiting for the client; nothing may be sent then, and Wake
// isn't called. It reports false where that can't be.
func (s *Sender) TryAnswer(body []byte) bool {
	c := s.call
	if c.isEnding() {
		return false
	}
	return longpoll.TryAnswer(c.w, func(header *bytes.Buffer) {
		c.status = http.StatusOK
		c.appendHeader(header)
		c.finishAfter(s.ctx, nil)
	}, body)
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
	return http.NewResponseController(c.w).Flush()
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

// park parks the call to be answered later, and reports whether its connection could leave package http's server. Then a
// connection waits without the goroutines, stacks and buffers that package http keeps for a request.
func (c *call) park(later Later) bool {
	if c.router.cfg.Park == nil {
		return false
	}
	if c.r.Method != http.MethodGet {
		return false
	}
	// What is kept of the request while it waits is what an answer, and the log, say of it, and how to know it again.
	to := &Sender{call: &call{
		router: c.router, endpoint: c.endpoint, r: c.router.parked, late: true,
		who: c.who, number: c.number, sentID: c.sentID, began: c.began, quota: c.quota,
	}}
	again := to.next(later, c.follow())
	clear(c.w.Header())
	c.parked = c.router.cfg.Park(c.w, c.r, func(ctx context.Context, w http.ResponseWriter, wake func()) (answered bool) {
		if to.ctx == nil {
			to.call.w, to.wake, to.ctx = w, wake, to.call.context(ctx)
			if again != nil {
				longpoll.Again(w, again)
			}
		}
		defer func() {
			if cause := recover(); answered || cause != nil {
				answered = true
				to.call.finishAfter(ctx, cause)
			}
		}()
		return later.answer(to.ctx, to) //nolint:contextcheck // made of the same
	})
	if !c.parked {
		c.setHeader(c.w.Header())
	}
	return c.parked
}

// next returns the function that begins the call of a connection's next request, if that differs only in its number and
// later can answer it; nil: there is no such function.
func (s *Sender) next(later Later, same func() bool) func(number int64) bool {
	repeats, ok := later.(Repeats)
	if !ok || same == nil {
		return nil
	}
	return func(number int64) bool {
		c, now := s.call, s.call.router.cfg.Now()
		if !same() || !repeats.Next(number) {
			return false
		}
		// A call that is refused doesn't count, so it may be counted once more.
		if !c.allow(s.ctx, now).Allowed {
			return false
		}
		c.number, c.began, c.status = c.router.count.Add(1), now, 0
		return true
	}
}

// stay answers the call later while its connection stays in package http's server.
func (c *call) stay(ctx context.Context, later Later) {
	news := make(chan struct{}, 1)
	to := &Sender{call: c, ctx: c.context(ctx), wake: func() {
		select {
		case news <- struct{}{}:
		default:
		}
	}}
	for !later.answer(to.ctx, to) { //nolint:contextcheck // made of the same
		select {
		case <-news:
		case <-ctx.Done():
		}
	}
}

func (wait Wait) answer(ctx context.Context, to *Sender) bool {
	body, done, err := wait(ctx, to)
	if !done && err == nil {
		return false
	}
	c, memory := to.call, to.memory
	to.memory = nil // the next answer of the connection takes its own
	if err == nil {
		err = c.settleAnswer(ctx, cap(body))
	}
	if err != nil {
		c.fail(ctx, err)
		return true
	}
	c.write(http.StatusOK, body)
	if memory != nil {
		memory.buf = *bytes.NewBuffer(body)
		c.router.putBuffer(memory)
	}
	return true
}

func (r Repeats) answer(ctx context.Context, to *Sender) bool { return r.Wait.answer(ctx, to) }

func (stream Stream) answer(ctx context.Context, to *Sender) bool {
	done, err := stream(ctx, to)
	if err != nil && to.call.status == 0 {
		to.call.fail(ctx, err)
	}
	return done || err != nil
}

func (c *call) beginStream() {
	h := c.w.Header()
	if c.late {
		c.setHeader(h)
	}
	h["Content-Type"] = c.router.headers.eventStream
	h["X-Accel-Buffering"] = c.router.headers.unbuffered // nginx would keep events until there are more
	c.sayEnding()
	c.status = http.StatusOK
	c.w.WriteHeader(c.status)
}
