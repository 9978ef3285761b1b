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
	// headSize bounds the head of a request that is served here; longer ones go back.
	headSize = 4 << 10
	// writeTime is how long a client may take to receive an answer, at least.
	writeTime = 10 * time.Second
	// writeRate is how many bytes a second a client has to receive of an answer that takes longer than that.
	writeRate = 64 << 10
	// lingerTime is how long a connection stays open for its client to read the last answer.
	lingerTime = 500 * time.Millisecond
	// largestKept is the largest buffer for answers that is used again.
	largestKept = 64 << 10
)

// Config is what a [Server] works with.
type Config struct {
	// Path is what is polled, without a query. Requests for other paths go back.
	Path string
	// Number is the name of the parameter that differs from one poll to the next, see [Again]; empty: none is known.
	Number string
	// Most is how many connections there may be; 0: any number.
	Most int
	// HandBack takes a connection back into the server that it came from; what was read of it comes again.
	HandBack func(net.Conn)
	// Idle is how long a connection may wait for its next request; it is closed before half of that again is over.
	Idle   time.Duration
	Now    func() time.Time
	Logger *slog.Logger
}

// Answer answers a request. It returns false where it has to wait: then it has wake called when it is to be called again.
// Nothing that belongs to the request is used by then but by whoever calls wake.
type Answer func(ctx context.Context, w http.ResponseWriter, wake func()) (answered bool)

// Server serves connections that were taken out of an http.Server. It is safe for concurrent use.
type Server struct {
	Config

	handler http.Handler
	ctx     context.Context // of all requests
	cancel  context.CancelFunc
	closing atomic.Bool // no request is read any more
	heads   sync.Pool   // of *[headSize]byte
	buffers sync.Pool   // of *bytes.Buffer
	headers sync.Pool   // of http.Header, empty
	date    atomic.Pointer[date]

	mutex   sync.Mutex
	conns   map[*conn]struct{}
	poller  *poller        // nil: no connection needs it yet
	polling sync.WaitGroup // the poller's goroutine
	running sync.WaitGroup // connections
}

// New makes a server, which needs a handler, too (see [Server.Handle]). Shutdown ends it, and the end of ctx
// ends its requests.
func New(ctx context.Context, cfg Config) *Server {
	s := &Server{Config: cfg, conns: map[*conn]struct{}{}}
	s.ctx, s.cancel = context.WithCancel(ctx)
	s.heads.New = func() any { return new([headSize]byte) }
	s.buffers.New = func() any { return new(bytes.Buffer) }
	s.headers.New = func() any { return http.Header{} }
	return s
}

// Handle sets what serves the polls. It is called once, before anything is served.
func (s *Server) Handle(handler http.Handler) { s.handler = handler }

// Take has a request answered by answer instead of its handler, which returns then without having written
// anything. Where the request came from package http's server, its connection is taken out of there, and
// answer is called in its own goroutine; where it is served here, answer is called after the handler
// has returned. Take reports false where the connection can't be taken, or there are too many: then the handler answers.
//
// An answer with "Connection: close" is the last of its connection.
//
// answer gets its own writer, with the header that the handler has set so far. Its context ends when the
// server is shut down, not when the client goes away; it is called then, and doesn't wait any more.
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
		_ = raw.Close() // nobody is served any more
	}
	return true
}

// isFull reports whether there are as many connections as there may be. Some that come at the same moment may
// be too many.
func (s *Server) isFull() bool {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.Most > 0 && len(s.conns) >= s.Most
}

// unread returns what was read from a connection and not used.
func unread(from *bufio.Reader) []byte {
	early, _ := from.Peek(from.Buffered()) // it is there
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

// poll has the poller wait for a connection, and reports false where it can't. The mutex is held.
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

// remove forgets a connection.
func (s *Server) remove(c *conn) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	delete(s.conns, c)
	if c.socket != nil {
		s.poller.remove(c)
	}
}

// take begins to serve those connections for which an attempt succeeds.
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

// sweep is called twice in the time that a connection may wait for its next request, and ends those that wait for longer.
func (s *Server) sweep() {
	for _, c := range s.take((*conn).takeSilent) {
		c.end()
	}
}

// Shutdown ends idle connections at once, and others with their answer. When ctx ends, it ends what is left.
// It returns when no connection is left.
func (s *Server) Shutdown(ctx context.Context) {
	s.mutex.Lock()
	s.closing.Store(true)
	for c := range s.conns {
		if c.idle.Load() {
			_ = c.SetReadDeadline(time.Unix(1, 0)) // ends the reading; a connection that is broken ends anyway
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
			_ = c.Close() // whatever it does fails then
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
