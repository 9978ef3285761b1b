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

// conn is a connection that polls. It moves between package http's server and this one, and keeps the form
// of its requests. At most one goroutine serves it, see [turns].
type conn struct {
	net.Conn
	turns

	server  *Server
	socket  *socket // nil: it always needs a goroutine
	early   []byte  // bytes of the client that were read and not used yet
	writer  writer
	repeat  repeat
	wake    func() // the method woken, as a value that is allocated once
	asked   bool   // a request is to be answered
	last    bool   // the answer is the connection's last
	broken  bool   // a part of the answer couldn't be sent
	rest    []byte // unsent rest of an answer, or of a part of one; nil: none
	written bool   // the answer is complete except for rest
	// The current deadlines. Comparing a deadline is cheaper than setting it.
	readBy, writeBy time.Time
}

// deadline sets a deadline that is not earlier than least from now, unless the current one suffices. To set it less often, it sets one later
// by half of least.
func deadline(by *time.Time, now time.Time, least time.Duration, set func(time.Time) error) error {
	if by.Sub(now) >= least {
		return nil
	}
	*by = now.Add(least + least/2)
	return set(*by)
}

// serve serves the connection until it waits without a goroutine, is handed back or is closed.
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

// linger closes the connection after its client has had time to read. If it were closed at once and the client has sent
// more data, the client would lose the answer.
func (c *conn) linger() {
	defer c.end()
	if c.CloseWrite() != nil || c.SetReadDeadline(c.server.Now().Add(lingerTime)) != nil {
		return
	}
	_, _ = io.Copy(io.Discard, c.Conn) // until the client closes it, too, or the deadline passes
}

// end closes the connection.
func (c *conn) end() {
	c.server.remove(c)
	_ = c.Close() // it isn't used any more
	c.server.running.Done()
}

// answer writes the answer, or the rest of it, and reports whether the connection stays open. It doesn't if the
// handler wrote nothing, so that clients don't mistake that for an answer.
func (c *conn) answer() bool {
	defer c.writer.finished()
	if c.writer.status == 0 && !c.written || c.broken {
		return false
	}
	c.asked = false
	return c.send(true) == nil && !c.last
}

// send writes the answer so far, and waits for the client. The answer has a length if it is complete and no part of it was
// sent before.
func (c *conn) send(complete bool) error {
	s := c.server
	buffer := s.buffer()
	defer s.release(buffer)
	now := s.Now()
	c.compose(buffer, now, complete)
	enough := writeTime + time.Duration(buffer.Len())*time.Second/writeRate
	_ = deadline(&c.writeBy, now, enough, c.SetWriteDeadline) // if that fails, so does Write
	_, err := c.Write(buffer.Bytes())
	c.broken = err != nil
	return err
}

// compose appends the data to be sent.
func (c *conn) compose(to *bytes.Buffer, now time.Time, complete bool) {
	s := c.server
	to.Write(c.rest)
	c.rest = nil
	if c.written {
		c.written = false
		return
	}
	if !c.writer.streams { // otherwise the header with last was sent
		c.last = s.closing.Load() || c.writer.header.Get("Connection") == "close" // header may be nil
	}
	if complete && !c.writer.streams {
		c.writer.message(to, s.dateAt(now), c.last)
	} else {
		c.writer.chunk(to, s.dateAt(now), c.last, complete)
	}
}

// next returns the next poll, or nil if it repeats the one before and is being answered. It returns false if the
// connection waits for the poll, or was handed back or closed.
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

// receive reads the next request, or a part of it. It returns false if the connection waits for it, or is closed because it
// was idle for too long, is broken, or the server is closing.
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

// await waits for a request in this goroutine.
func (c *conn) await(into []byte) (int, error) {
	if err := deadline(&c.readBy, c.server.Now(), c.server.Idle, c.SetReadDeadline); err != nil {
		return 0, err
	}
	c.idle.Store(true)
	defer c.idle.Store(false)
	if c.server.closing.Load() { // Shutdown may have missed that this connection is idle
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

// Read implements net.Conn. It returns early data first.
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

// CloseWrite closes the writing half of the connection, if it supports that. Package http's server uses it to end the
// answers before it closes a connection.
func (c *conn) CloseWrite() error {
	half, ok := c.Conn.(interface{ CloseWrite() error })
	if !ok {
		return errors.ErrUnsupported
	}
	return half.CloseWrite()
}
