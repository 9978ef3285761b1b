package endpoint

import (
	"bytes"
	"context"
	"net/http"
	"strings"

	"chatserver.dev/pkg/longpoll"
)

// Deferred answers a request later: a [Wait], a [RepeatedWait] or a [Stream]. Its context may outlive the client's connection, since
// a disconnected client may be noticed only at a write. When the context ends, it is called once more, and must not wait.
type Deferred interface {
	// answer answers, or returns false if it has to wait. Then it is called again after to.Wake.
	answer(ctx context.Context, to *Sender) (answered bool)
}

// Wait returns the answer's body, which it may append to to.Memory(). done is false if it has to wait. Then it returns, without
// holding a goroutine, and is called again after to.Wake.
type Wait func(ctx context.Context, to *Sender) (body []byte, done bool, err error)

// RepeatedWait is a [Wait] whose client repeats the request over one connection, with another number each time.
type RepeatedWait struct {
	Wait Wait
	// Next prepares Wait for a request of the same caller that equals the one before except for its number (longpoll.Config).
	// It reports false if the handler must handle the request. It must not block.
	Next func(number int64) bool
}

// Stream sends server-sent events (WHATWG HTML, section 9.2) as they occur, and returns false to be called again
// after to.Wake. An error before the first event is the answer. After that, an error only ends the answer.
type Stream func(ctx context.Context, to *Sender) (done bool, err error)

// Sender sends the answer of a [Deferred]. Except for Wake, it isn't safe for concurrent use.
type Sender struct {
	call   *call
	ctx    context.Context //nolint:containedctx // of the requests of one connection, made once; nil: no answer was called yet
	wake   func()
	memory *buffer // for the answer; nil: none
}

// Wake makes a [Deferred] that waits, or is about to, be called again.
func (s *Sender) Wake() { s.wake() }

// Memory returns an empty slice for an answer, whose memory is reused for others. Call it only when there is an answer.
func (s *Sender) Memory() []byte {
	if s.memory == nil {
		s.memory = s.call.router.getBuffer()
	}
	return s.memory.buf.AvailableBuffer()
}

// TryAnswer sends the answer of a waiting [Wait], without waiting for the client. After that, the caller must not send more,
// nor call Wake. It reports false, and sends nothing, if that isn't possible.
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

// Send sends complete events and comments. It fails if the client doesn't receive them within ten to fifteen seconds plus a
// second for each 64 KiB.
func (s *Sender) Send(events []byte) error {
	c := s.call
	defer c.settle(0) // memory of these events
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

// TrySend sends as much as possible without waiting for the client. It can be used after the first Send. The next Send,
// which may be of nothing, sends the rest.
func (s *Sender) TrySend(events []byte) longpoll.Outcome { return longpoll.TrySend(s.call.w, events) }

// EventStream reports whether the client of ctx's request accepts server-sent events. last is the id of the last event that
// the client received before it reconnected; empty: none.
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

// park parks the call to be answered later, and reports whether its connection has left package http's server. Then the
// connection waits without the goroutines, stacks and buffers that package http keeps for a request.
func (c *call) park(later Deferred) bool {
	if c.router.cfg.Park == nil {
		return false
	}
	if c.r.Method != http.MethodGet {
		return false
	}
	// While the request waits, only the data for its answer, for the log, and for recognizing a repeated request is kept.
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

// next returns the function that starts the call of a connection's next request if that differs only in its number and
// later can answer it. It returns nil if later isn't a RepeatedWait or same is nil.
func (s *Sender) next(later Deferred, same func() bool) func(number int64) bool {
	repeats, ok := later.(RepeatedWait)
	if !ok || same == nil {
		return nil
	}
	return func(number int64) bool {
		c, now := s.call, s.call.router.cfg.Now()
		if !same() || !repeats.Next(number) {
			return false
		}
		// A refused call doesn't count, so the handler can count it again.
		if !c.allow(s.ctx, now).Allowed {
			return false
		}
		c.number, c.began, c.status = c.router.count.Add(1), now, 0
		return true
	}
}

// stay answers the call later while its connection stays in package http's server.
func (c *call) stay(ctx context.Context, later Deferred) {
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
	to.memory = nil // the connection's next answer gets its own
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

func (r RepeatedWait) answer(ctx context.Context, to *Sender) bool { return r.Wait.answer(ctx, to) }

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
	h["X-Accel-Buffering"] = c.router.headers.unbuffered // otherwise nginx buffers events
	c.sayEnding()
	c.status = http.StatusOK
	c.w.WriteHeader(c.status)
}
