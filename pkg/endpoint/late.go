package endpoint

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"net"
	"net/http"
	"strconv"
	"time"
)

// ErrLate is what a handler of [Raw] returns after it took the connection by [Late.Take].
var ErrLate = errors.New("endpoint: the answer comes late")

// Late lets a handler of [Raw] answer after it has returned. What waits then is a connection and a few
// hundred bytes, without the goroutines, stacks and buffers that package http keeps for a request.
type Late struct{ call *call }

// Take takes the connection out of the server. From then on only the answer belongs to it: ctx ends, and
// nobody notices a client that goes away until something is written. The handler has to return
// [ErrLate]. Take gives nil where the server or the protocol can't do that: then the handler answers.
func (l Late) Take() *LateAnswer {
	c := l.call
	if c.router.giveBack == nil || c.r.ProtoMajor != 1 || c.r.ProtoMinor != 1 || c.r.Close || c.r.Method != http.MethodGet {
		return nil
	}
	header := c.w.Header().Clone()
	conn, buffered, err := http.NewResponseController(c.w).Hijack()
	if err != nil {
		return nil
	}
	c.taken = true
	rewrite := (func(context.Context, []byte) []byte)(nil)
	if r, ok := c.w.(Rewriter); ok {
		rewrite = r.Rewrite()
	}
	return &LateAnswer{
		rewrite: rewrite,
		conn:    keep(conn, buffered.Reader),
		call: call{
			router: c.router, endpoint: c.endpoint, w: &lateWriter{header: header}, r: &http.Request{Method: c.r.Method},
			number: c.number, sentID: c.sentID, began: c.began,
		},
	}
}

// Rewriter is a response writer around another one that changes what answers say.
type Rewriter interface {
	// Rewrite gives what changes the body of a successful answer that comes late. It must not keep the
	// request, whose memory is what the wait is to be without.
	Rewrite() func(ctx context.Context, body []byte) []byte
}

// LateAnswer is a request whose answer comes late. Exactly one of its methods has to be called, once.
type LateAnswer struct {
	call    call
	conn    *keptConn
	rewrite func(ctx context.Context, body []byte) []byte // nil: the body stays as it is
}

// Answer answers like the handler would have, gives the connection back to the server, or closes it where
// the server is about to end, and then calls told. It returns at once: where the client doesn't read what
// it is sent, told is called up to ten seconds later, from elsewhere.
func (a *LateAnswer) Answer(ctx context.Context, body []byte, err error, told func()) {
	w, ok := a.call.w.(*lateWriter)
	if !ok {
		panic("endpoint: a late answer has a writer of its own")
	}
	w.header.Set("Date", a.call.router.now().UTC().Format(http.TimeFormat))
	switch {
	case err != nil:
		a.call.fail(ctx, err)
	case a.rewrite != nil:
		a.call.write(http.StatusOK, a.rewrite(ctx, body))
	default:
		a.call.write(http.StatusOK, body)
	}
	a.send(ctx, w, told)
}

// Abandon closes the connection without an answer.
func (a *LateAnswer) Abandon() { _ = a.conn.Close() }

// lateWriter collects a late answer.
type lateWriter struct {
	header  http.Header
	status  int
	message []byte // as it goes over the connection
}

// Header implements http.ResponseWriter.
func (w *lateWriter) Header() http.Header { return w.header }

// WriteHeader implements http.ResponseWriter.
func (w *lateWriter) WriteHeader(status int) { w.status = status }

// Write implements http.ResponseWriter; it is called once, when the header is complete, and keeps nothing
// of the body.
func (w *lateWriter) Write(body []byte) (int, error) {
	const roomForHeader = 512
	b := bytes.NewBuffer(make([]byte, 0, roomForHeader+len(body)))
	b.WriteString("HTTP/1.1 " + strconv.Itoa(w.status) + " " + http.StatusText(w.status) + "\r\n")
	_ = w.header.Write(b) // a buffer takes everything
	b.WriteString("\r\n")
	b.Write(body)
	w.message = b.Bytes()
	return len(body), nil
}

// keptConn is a connection that outlives a request in the server.
type keptConn struct {
	net.Conn
	early    []byte // what the client sent before its answer
	returned bool   // the server has it again, and hasn't set a deadline
}

// keep makes a connection out of one that was taken, with what was read of it already.
func keep(conn net.Conn, read *bufio.Reader) *keptConn {
	kept, ok := conn.(*keptConn)
	if !ok {
		kept = &keptConn{Conn: conn}
	}
	if n := read.Buffered(); n > 0 {
		early, _ := read.Peek(n) // it is there
		kept.early = append(bytes.Clone(early), kept.early...)
	}
	return kept
}

// Read implements net.Conn.
func (c *keptConn) Read(p []byte) (int, error) {
	if len(c.early) > 0 {
		n := copy(p, c.early)
		if c.early = c.early[n:]; len(c.early) == 0 {
			c.early = nil
		}
		return n, nil
	}
	return c.Conn.Read(p)
}

// SetReadDeadline implements net.Conn. To the server the connection is a new one, whose first request
// has to come at once; but the client may be as idle as between any two requests.
func (c *keptConn) SetReadDeadline(t time.Time) error {
	if c.returned && !t.IsZero() {
		c.returned = false
		t = t.Add(idleAfterLate)
	}
	return c.Conn.SetReadDeadline(t)
}

// idleAfterLate is how much longer than for its head the server waits for the request after a late answer.
const idleAfterLate = 110 * time.Second
