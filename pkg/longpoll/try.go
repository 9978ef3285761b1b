package longpoll

import "net/http"

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
// isn't an answer of a [Server] that has begun to be sent in parts, and where the client can't take anything now.
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

// TryAnswer calls write, which writes the whole answer to w, and sends it without waiting for anybody. What the client can't
// take now is sent by another goroutine. It refuses, and doesn't call write, unless an [Answer] of w waits.
func TryAnswer(w http.ResponseWriter, write func()) bool {
	own := ownWriter(w)
	if own == nil || own.conn.socket == nil || !own.conn.take(forAnswer) {
		return false
	}
	own.later = nil
	write()
	own.conn.answerNow()
	return true
}

// answerNow sends the answer, or as much as the client takes, and has the connection wait, or served further.
func (c *conn) answerNow() {
	s := c.server
	buffer := s.buffer()
	defer s.release(buffer)
	c.compose(buffer, s.Now(), true)
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
