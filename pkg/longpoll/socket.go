package longpoll

import (
	"io"
	"net"
	"syscall"
)

// socket reads and writes a connection without waiting. It isn't safe for concurrent use.
type socket struct {
	syscall.RawConn

	fd   int32 // in the poller
	data []byte
	n    int
	err  error
	// do calls read or write with the descriptor, which stays valid during the call.
	read, write func(fd uintptr)
}

// newSocket returns the socket of a connection, or nil if it has no descriptor.
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

// Read reads the available data. It fails with EAGAIN if there is none yet, and with io.EOF at the end.
func (s *socket) Read(into []byte) (int, error) {
	n, err := s.do(s.read, into)
	if n == 0 && err == nil {
		err = io.EOF
	}
	return n, err
}

// Write writes as much data as the connection accepts without waiting.
func (s *socket) Write(data []byte) (int, error) { return s.do(s.write, data) }

func (s *socket) do(what func(fd uintptr), data []byte) (int, error) {
	s.data = data
	err := s.Control(what) // unlike Read and Write, it ignores deadlines, so none has to be set
	s.data = nil
	if err != nil {
		return 0, err
	}
	return max(0, s.n), s.err
}
