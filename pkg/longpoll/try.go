package longpoll

import (
	"net/http"
	"syscall"
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
// isn't an answer of a [Server] that has begun to be sent in parts, and where the client can't take anything now.
func TrySend(w http.ResponseWriter, part []byte) Outcome {
	own := ownWriter(w)
	if own == nil || !own.streams || own.body != nil {
		return Refused
	}
	return own.conn.try(part)
}

func (c *conn) try(part []byte) Outcome {
	socket, ok := c.Conn.(syscall.Conn)
	if !ok || c.rest != nil {
		return Refused
	}
	raw, err := socket.SyscallConn()
	if err != nil {
		return Refused
	}
	buffer := c.server.buffer()
	defer c.server.release(buffer)
	appendChunk(buffer, part)
	n := 0
	// Control, unlike Write, looks at no deadline, which would have to be set first.
	if raw.Control(func(fd uintptr) { n, err = writeNow(fd, buffer.Bytes()) }) != nil || err != nil || n <= 0 {
		return Refused // whoever writes and waits learns why
	}
	if n == buffer.Len() {
		return Sent
	}
	c.rest = append(c.rest, buffer.Bytes()[n:]...)
	return Begun
}
