package longpoll

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"runtime/debug"
	"time"
)

// conn is a connection that polls. It goes between package http's server and this one, and remembers what
// its requests look like. One goroutine serves it at a time, see [turns].
type conn struct {
	net.Conn
	turns

	server  *Server
	socket  *socket // nil: it can't do without a goroutine
	early   []byte  // what the client sent that nobody has used
	writer  writer
	repeat  repeat
	wake    func() // is woken; made once
	asked   bool   // a request is to be answered
	last    bool   // the answer is the connection's last
	broken  bool   // a part of the answer couldn't be sent
	rest    []byte // of an answer, or of a part of one; nil: none
	written bool   // the answer is complete except for rest
	// Until when reading and writing may take. Setting a deadline costs a poll more than comparing it.
	readBy, writeBy time.Time
}

// deadline sets a deadline that is near enough and no sooner than least, unless there is such a one already.
func deadline(by *time.Time, now time.Time, least time.Duration, set func(time.Time) error) error {
	if by.Sub(now) >= least {
		return nil
	}
	*by = now.Add(least + least/2)
	return set(*by)
}

// serve does what there is to do, until the connection waits without a goroutine, is handed back or is closed.
func (c *conn) serve(ctx context.Context) {
	defer func() {
		if cause := recover(); cause != nil {
			c.panicked(cause)
		}
	}()
	for {
		for c.writer.later != nil && !c.writer.later(ctx, &c.writer, c.wake) {
			if c.waits(ctx, forAnswer) {
				return
			}
		}
		c.writer.later = nil
		if c.asked && !c.answer() {
			c.linger()
			return
		}
		r, there := c.next(ctx)
		if !there {
			return
		}
		if r != nil {
			c.asked = true
			c.server.handler.ServeHTTP(&c.writer, r)
		}
	}
}

// panicked ends the connection after a panic, as package http does.
func (c *conn) panicked(cause any) {
	c.end()
	c.writer.finished()
	if cause != http.ErrAbortHandler { //nolint:errorlint // the sentinel is compared as package http does
		c.server.Logger.LogAttrs(c.server.ctx, slog.LevelError, "handler of polls panicked", slog.Any("panic", cause), slog.String("stack", string(debug.Stack())))
	}
}

// linger closes the connection when its client has had time to read. Closed at once, what the client has sent
// meanwhile would make it lose the answer.
func (c *conn) linger() {
	defer c.end()
	if c.CloseWrite() != nil || c.SetReadDeadline(c.server.Now().Add(lingerTime)) != nil {
		return
	}
	_, _ = io.Copy(io.Discard, c.Conn) // until the client closes, too, or time is over
}

// end closes the connection.
func (c *conn) end() {
	c.server.remove(c)
	_ = c.Close() // nobody uses it any more
	c.server.running.Done()
}

// answer writes the answer, or what is left of it, and reports whether the connection stays open. It doesn't where the
// handler wrote nothing: no client may take that for an answer.
func (c *conn) answer() bool {
	defer c.writer.finished()
	if c.writer.status == 0 && !c.written || c.broken {
		return false
	}
	c.asked = false
	return c.send(true) == nil && !c.last
}

// send writes what the client gets of the answer by now, and waits for the client. An answer that is complete and wasn't
// sent in part has a length.
func (c *conn) send(complete bool) error {
	s := c.server
	buffer := s.buffer()
	defer s.release(buffer)
	now := s.Now()
	c.compose(buffer, now, complete)
	enough := writeTime + time.Duration(buffer.Len())*time.Second/writeRate
	_ = deadline(&c.writeBy, now, enough, c.SetWriteDeadline) // where that fails, so does what follows
	_, err := c.Write(buffer.Bytes())
	c.broken = err != nil
	return err
}

// compose appends what to send.
func (c *conn) compose(to *bytes.Buffer, now time.Time, complete bool) {
	s := c.server
	to.Write(c.rest)
	c.rest = nil
	if c.written {
		c.written = false
		return
	}
	if !c.writer.streams { // its header says so
		c.last = s.closing.Load() || c.writer.header.Get("Connection") == "close" // of a header that is nil, too
	}
	if complete && !c.writer.streams {
		c.writer.message(to, s.dateAt(now), c.last)
	} else {
		c.writer.chunk(to, s.dateAt(now), c.last, complete)
	}
}

// next returns the next poll, or nil if it is like the one before and is being answered. It returns false where the
// poll is waited for, or the connection was handed back, or is closed.
func (c *conn) next(ctx context.Context) (r *http.Request, there bool) {
	head, ok := c.server.heads.Get().(*[headSize]byte)
	if !ok {
		panic("longpoll: the pool holds heads only")
	}
	defer c.server.heads.Put(head)
	n, ok := c.receive(ctx, head[:])
	if !ok {
		return nil, false
	}
	if c.repeats(head[:n]) {
		return nil, true
	}
	end := bytes.Index(head[:n], []byte("\r\n\r\n")) + len("\r\n\r\n")
	if end < len("\r\n\r\n") {
		c.handBack(head[:n])
		return nil, false
	}
	if r = c.parse(ctx, head[:end]); r == nil {
		c.handBack(head[:n])
		return nil, false
	}
	c.repeat = c.server.newRepeat(head[:end])
	if n > end {
		c.early = append(bytes.Clone(head[end:n]), c.early...)
	}
	return r, true
}

// receive returns the next request, or a part of it, and false where the connection waits for it or is closed: it was
// idle for too long, or is broken, or the server closes.
func (c *conn) receive(ctx context.Context, into []byte) (n int, ok bool) {
	var err error
	for {
		switch {
		case len(c.early) > 0:
			n, err = c.Read(into)
		case c.server.closing.Load():
			err = http.ErrServerClosed
		case c.socket == nil:
			n, err = c.await(into)
		default:
			n, err = c.socket.Read(into)
		}
		if !isNotYet(err) {
			break
		}
		if c.waits(ctx, forRequest) {
			return 0, false
		}
	}
	if err != nil {
		c.end()
	}
	return n, err == nil
}

// await waits in this goroutine.
func (c *conn) await(into []byte) (int, error) {
	if err := deadline(&c.readBy, c.server.Now(), c.server.Idle, c.SetReadDeadline); err != nil {
		return 0, err
	}
	c.idle.Store(true)
	defer c.idle.Store(false)
	if c.server.closing.Load() { // or it would have seen that this connection is idle
		return 0, http.ErrServerClosed
	}
	return c.Read(into)
}

// handBack returns the connection to package http's server.
func (c *conn) handBack(read []byte) {
	s := c.server
	defer s.running.Done()
	s.remove(c)
	c.early = append(bytes.Clone(read), c.early...)
	_ = c.SetDeadline(time.Time{}) // the server sets its own
	c.readBy, c.writeBy = time.Time{}, time.Time{}
	c.repeat = repeat{}
	s.HandBack(c)
}

// Read implements net.Conn: what is early comes first.
func (c *conn) Read(p []byte) (int, error) {
	if len(c.early) > 0 {
		n := copy(p, c.early)
		if c.early = c.early[n:]; len(c.early) == 0 {
			c.early = nil
		}
		return n, nil
	}
	return c.Conn.Read(p)
}

// CloseWrite ends the answers, where the connection can do that: package http's server lets a client know
// so that it reads no more of them.
func (c *conn) CloseWrite() error {
	half, ok := c.Conn.(interface{ CloseWrite() error })
	if !ok {
		return errors.ErrUnsupported
	}
	return half.CloseWrite()
}
