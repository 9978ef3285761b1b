package longpoll

import (
	"net"
	"sync"
)

// ReturnListener hands connections back to the http.Server that they were taken from. That server serves it as a further
// listener.
type ReturnListener struct {
	addr   net.Addr
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

// NewReturnListener returns a listener for a server that listens at an address.
func NewReturnListener(addr net.Addr) *ReturnListener {
	return &ReturnListener{addr: addr, conns: make(chan net.Conn), closed: make(chan struct{})}
}

// HandBack passes a connection to the server. If the listener is closed, it closes the connection.
func (r *ReturnListener) HandBack(conn net.Conn) {
	select {
	case r.conns <- conn:
	case <-r.closed:
		_ = conn.Close() // it isn't read any more
	}
}

// Accept implements net.Listener.
func (r *ReturnListener) Accept() (net.Conn, error) {
	select {
	case conn := <-r.conns:
		return conn, nil
	case <-r.closed:
		return nil, net.ErrClosed
	}
}

// Close implements net.Listener.
func (r *ReturnListener) Close() error {
	r.once.Do(func() { close(r.closed) })
	return nil
}

// Addr implements net.Listener.
func (r *ReturnListener) Addr() net.Addr { return r.addr }
