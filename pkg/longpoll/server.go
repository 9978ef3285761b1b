package longpoll

import (
	"bufio"
	"bytes"
	"context"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// headSize is the maximum size of the head of a request that is served here. Longer ones are handed back.
	headSize = 4 << 10
	// writeTime is the time that a client has to receive an answer, in addition to that by writeRate.
	writeTime = 10 * time.Second
	// writeRate is the minimum rate, in bytes per second, at which a client has to receive an answer.
	writeRate = 64 << 10
	// lingerTime is how long a connection stays open for its client to read the last answer.
	lingerTime = 500 * time.Millisecond
	// largestKept is the maximum capacity of a buffer for answers that is used again.
	largestKept = 64 << 10
)

// Config is the configuration of a [Server].
type Config struct {
	// Path is the path of polls, without a query. Requests for other paths are handed back.
	Path string
	// Number is the name of the parameter that differs from one poll to the next, see [Again]; empty: none.
	Number string
	// MaxConns is the maximum number of connections; 0: no limit.
	MaxConns int
	// HandBack passes a connection back to the server that it came from. Reading the connection returns data that was read
	// and not used again.
	HandBack func(net.Conn)
	// Idle is how long a connection may wait for its next request. It is closed after at most one and a half times that.
	Idle   time.Duration
	Now    func() time.Time
	Logger *slog.Logger
}

// Answer answers a request. It returns false if it has to wait. Then wake must be called when Answer is to be called again.
// Until then, only the caller of wake uses the request.
type Answer func(ctx context.Context, w http.ResponseWriter, wake func()) (answered bool)

// Server serves connections that were taken out of an http.Server. It is safe for concurrent use.
type Server struct {
	Config

	handler http.Handler
	ctx     context.Context // of all requests
	cancel  context.CancelFunc
	closing atomic.Bool // no further requests are read
	heads   sync.Pool   // of *[headSize]byte
	buffers sync.Pool   // of *bytes.Buffer
	headers sync.Pool   // of http.Header, empty
	date    atomic.Pointer[date]

	polling sync.WaitGroup // the poller's goroutine
	running sync.WaitGroup // connections

	mutex  sync.Mutex // guards what follows
	conns  map[*conn]struct{}
	poller *poller // nil: not needed so far
}

// New returns a server, which also needs a handler (see [Server.Handle]). [Server.Shutdown] ends it, and the end of ctx
// ends its requests.
func New(ctx context.Context, cfg Config) *Server {
	s := &Server{Config: cfg, conns: map[*conn]struct{}{}}
	s.ctx, s.cancel = context.WithCancel(ctx)
	s.heads.New = func() any { return new([headSize]byte) }
	s.buffers.New = func() any { return new(bytes.Buffer) }
	s.headers.New = func() any { return http.Header{} }
	return s
}

// Handle sets the handler of polls. It must be called once, before connections are served.
func (s *Server) Handle(handler http.Handler) { s.handler = handler }

// Take makes answer respond to a request instead of its handler, which then must return without writing. If the request comes
// from package http's server, Take removes its connection from there, and answer is called in a new goroutine. If it is
// served here, answer is called after the handler has returned. Take reports false if the connection can't be taken, or
// there are too many. Then the handler answers.
//
// An answer with "Connection: close" is the last of its connection.
//
// answer gets its own writer, with the header that the handler has set so far. Its context ends when the
// server is shut down, not when the client disconnects. answer is called then, and must not wait any more.
func (s *Server) Take(w http.ResponseWriter, r *http.Request, answer Answer) bool {
	if !plain(r) || s.closing.Load() {
		return false
	}
	if own := ownWriter(w); own != nil {
		own.later = answer
		own.freeHeader()
		return true
	}
	if s.isFull() {
		return false
	}
	header := w.Header().Clone()
	raw, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return false
	}
	c := &conn{Conn: raw, server: s}
	if returned, ok := raw.(*conn); ok {
		c = returned
	}
	c.early = append(unread(buffered.Reader), c.early...)
	c.writer = writer{header: header, conn: c, later: answer}
	c.writer.freeHeader()
	c.wake = c.woken
	c.asked, c.last, c.broken = true, false, false
	c.reset()
	if !s.add(c) {
		_ = raw.Close() // the server is closing
	}
	return true
}

// isFull reports whether there are MaxConns connections. Concurrent calls of Take may exceed the limit by a few.
func (s *Server) isFull() bool {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.MaxConns > 0 && len(s.conns) >= s.MaxConns
}

// unread returns the data that was read from a connection and not used.
func unread(from *bufio.Reader) []byte {
	early, _ := from.Peek(from.Buffered()) // never fails for buffered data
	return bytes.Clone(early)
}

// add starts to serve a connection, unless the server is closing.
func (s *Server) add(c *conn) bool {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.closing.Load() {
		return false
	}
	if c.socket = newSocket(c.Conn); c.socket != nil && !s.poll(c) {
		c.socket = nil
	}
	if c.socket == nil {
		c.news = make(chan struct{}, 1)
	}
	s.conns[c] = struct{}{}
	s.running.Add(1)
	go c.serve(s.ctx)
	return true
}

// poll adds a connection to the poller, and reports whether it succeeded. The mutex is held.
func (s *Server) poll(c *conn) bool {
	if s.poller == nil {
		made, err := newPoller()
		if err != nil {
			return false
		}
		s.poller = made
		s.polling.Go(func() { made.run(s.Idle/2, s.sweep) })
	}
	return s.poller.add(c) == nil
}

// remove removes a connection from the server and the poller.
func (s *Server) remove(c *conn) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	delete(s.conns, c)
	if c.socket != nil {
		s.poller.remove(c)
	}
}

// take returns the connections for which attempt succeeds.
func (s *Server) take(attempt func(c *conn) bool) (taken []*conn) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	for c := range s.conns {
		if attempt(c) {
			taken = append(taken, c)
		}
	}
	return taken
}

// sweep closes the connections that have waited too long for their next request. It is called every half of Idle.
func (s *Server) sweep() {
	for _, c := range s.take((*conn).takeSilent) {
		c.end()
	}
}

// Shutdown closes idle connections at once, and others after their answer. When ctx ends, it closes the rest.
// It returns when no connection is left.
func (s *Server) Shutdown(ctx context.Context) {
	s.mutex.Lock()
	s.closing.Store(true)
	for c := range s.conns {
		if c.idle.Load() {
			_ = c.SetReadDeadline(time.Unix(1, 0)) // ends the read; if it fails, the connection is broken
		}
	}
	s.mutex.Unlock()
	for _, c := range s.take(func(c *conn) bool { return c.take(forRequest) }) {
		c.end()
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.running.Wait()
	}()
	select {
	case <-done:
	case <-ctx.Done():
		s.cancel()
		s.mutex.Lock()
		for c := range s.conns {
			_ = c.Close() // its reads and writes fail then
		}
		s.mutex.Unlock()
		for _, c := range s.take(func(c *conn) bool { return c.take(forAnswer) }) {
			go c.serve(s.ctx) //nolint:contextcheck // the server's context, which has ended: its answer fails
		}
		<-done
	}
	s.cancel()
	if s.poller != nil {
		s.poller.close()
		s.polling.Wait()
	}
}

func (s *Server) buffer() *bytes.Buffer {
	b, ok := s.buffers.Get().(*bytes.Buffer)
	if !ok {
		panic("longpoll: the pool holds buffers only")
	}
	return b
}

func (s *Server) release(b *bytes.Buffer) {
	if b.Cap() <= largestKept {
		b.Reset()
		s.buffers.Put(b)
	}
}

// date is the value of the header Date, which changes once a second.
type date struct {
	second int64
	text   string
}

func (s *Server) dateAt(now time.Time) string {
	d := s.date.Load()
	if d == nil || d.second != now.Unix() {
		d = &date{now.Unix(), now.UTC().Format(http.TimeFormat)}
		s.date.Store(d)
	}
	return d.text
}
