package longpoll

import (
	"bytes"
	"net/http"
)

// Outcome is what [TrySend] did.
type Outcome int

const (
	// Refused says that nothing was sent.
	Refused Outcome = iota
	// Sent says that all was sent, or is on its way in the kernel.
	Sent
	// Begun says that a part was sent, and that the client takes no more now. The next flush sends the rest first.
	Begun
)

// TrySend sends a part of an answer, which isn't empty, as writing and flushing it does, but without waiting for anybody. It refuses where w
// isn't an answer of a [Server] that is being sent in parts, and where the client can't take anything now.
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
		return Refused // whoever writes and waits learns why
	}
	if n == buffer.Len() {
		return Sent
	}
	c.rest = append(c.rest, buffer.Bytes()[n:]...)
	return Begun
}

// TryAnswer sends a whole answer with status 200 without waiting for anybody. What the client can't take now is sent by another
// goroutine. It refuses unless an [Answer] of w waits. Otherwise it calls header, which appends whole lines with CRLF to what
// the header of w has; nothing of the request is used after that.
func TryAnswer(w http.ResponseWriter, header func(to *bytes.Buffer), body []byte) bool {
	own := ownWriter(w)
	if own == nil || own.conn.socket == nil || !own.conn.take(forAnswer) {
		return false
	}
	own.later, own.status = nil, http.StatusOK
	own.conn.answerNow(header, body)
	return true
}

// answerNow sends an answer, or as much as the client takes, and has the connection wait, or served further.
func (c *conn) answerNow(header func(to *bytes.Buffer), body []byte) {
	s := c.server
	buffer := s.buffer()
	defer s.release(buffer)
	c.last = s.closing.Load()
	c.writer.head(buffer, s.dateAt(s.Now()), c.last)
	header(buffer)
	appendBody(buffer, body)
	c.writer.status = 0
	n, _ := c.socket.Write(buffer.Bytes()) // whoever sends the rest learns why it fails
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
