package longpoll

import (
	"io"
	"net"
	"syscall"
)

// socket reads and writes a connection without waiting. It is for one goroutine at a time.
type socket struct {
	syscall.RawConn

	fd   int32 // as the poller knows it
	data []byte
	n    int
	err  error
	// do calls read or write with the descriptor, which is nobody else's meanwhile.
	read, write func(fd uintptr)
}

// newSocket returns nil for a connection that has no descriptor.
func newSocket(of net.Conn) *socket {
	from, ok := of.(syscall.Conn)
	if !ok {
		return nil
	}
	raw, err := from.SyscallConn()
	if err != nil {
		return nil
	}
	s := &socket{RawConn: raw}
	s.read = func(fd uintptr) { s.n, s.err = readNow(fd, s.data) }
	s.write = func(fd uintptr) { s.n, s.err = writeNow(fd, s.data) }
	return s
}

// Read reads what is there. It fails with EAGAIN where that is nothing, and with io.EOF where there won't be more.
func (s *socket) Read(into []byte) (int, error) {
	n, err := s.do(s.read, into)
	if n == 0 && err == nil {
		err = io.EOF
	}
	return n, err
}

// Write writes as much as the client can take.
func (s *socket) Write(data []byte) (int, error) { return s.do(s.write, data) }

func (s *socket) do(what func(fd uintptr), data []byte) (int, error) {
	s.data = data
	err := s.Control(what) // unlike Read and Write, it looks at no deadline, which would have to be set first
	s.data = nil
	if err != nil {
		return 0, err
	}
	return max(0, s.n), s.err
}
