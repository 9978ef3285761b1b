package longpoll

import (
	"bytes"
	"net/http"
)

// Outcome is the result of [TrySend].
type Outcome int

const (
	// Refused says that nothing was sent.
	Refused Outcome = iota
	// Sent says that everything was sent, at least to the kernel.
	Sent
	// Begun says that a part was sent, and that the connection accepts no more now. The next flush first sends the rest.
	Begun
)

// TrySend sends a part of an answer, which must not be empty, like writing and flushing it, but without waiting. It refuses
// if w isn't an answer of a [Server] that is sent in parts, or the connection accepts no data now.
func TrySend(w http.ResponseWriter, part []byte) Outcome {
	own := ownWriter(w)
	if own == nil || !own.streams || own.body != nil {
		return Refused
	}
	return own.conn.try(part)
}

func (c *conn) try(part []byte) Outcome {
	if c.socket == nil || c.rest != nil {
		return Refused
	}
	buffer := c.server.buffer()
	defer c.server.release(buffer)
	appendChunk(buffer, part)
	n, err := c.socket.Write(buffer.Bytes())
	if err != nil || n == 0 {
		return Refused // the next blocking write returns the error
	}
	if n == buffer.Len() {
		return Sent
	}
	c.rest = append(c.rest, buffer.Bytes()[n:]...)
	return Begun
}

// TryAnswer sends a complete answer with status 200 without waiting. Data that the connection doesn't accept now is sent by
// another goroutine. It reports false, and does nothing, unless an [Answer] of w waits. header is called to append further
// lines, each with CRLF, to the header of w. The request isn't used after TryAnswer.
func TryAnswer(w http.ResponseWriter, header func(to *bytes.Buffer), body []byte) bool {
	own := ownWriter(w)
	if own == nil || own.conn.socket == nil || !own.conn.take(forAnswer) {
		return false
	}
	own.later, own.status = nil, http.StatusOK
	own.conn.answerNow(header, body)
	return true
}

// answerNow sends an answer, or as much of it as the connection accepts. Then it makes the connection wait for the next
// request or, if there is more to do, starts a goroutine that serves it.
func (c *conn) answerNow(header func(to *bytes.Buffer), body []byte) {
	s := c.server
	buffer := s.buffer()
	defer s.release(buffer)
	c.last = s.closing.Load()
	c.writer.head(buffer, s.dateAt(s.Now()), c.last)
	header(buffer)
	appendBody(buffer, body)
	c.writer.status = 0
	n, _ := c.socket.Write(buffer.Bytes()) // sending the rest returns the error
	if n < buffer.Len() || c.last {
		c.rest, c.written = append(c.rest, buffer.Bytes()[n:]...), true
	} else {
		c.asked = false
		c.writer.finished()
		if len(c.early) == 0 && c.waits(s.ctx, forRequest) {
			return
		}
	}
	go c.serve(s.ctx)
}
