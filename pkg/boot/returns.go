package boot

import (
	"net"
	"sync"
)

// returns is where connections come back to a server that were taken out of it for a late answer. To
// the server it is one more listener.
type returns struct {
	addr   net.Addr
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func newReturns(addr net.Addr) *returns {
	return &returns{addr: addr, conns: make(chan net.Conn), closed: make(chan struct{})}
}

// giveBack lets the server go on with a connection; when it serves no more, the connection is closed.
func (r *returns) giveBack(conn net.Conn) {
	select {
	case r.conns <- conn:
	case <-r.closed:
		_ = conn.Close() // nobody reads it any more
	}
}

// Accept implements net.Listener.
func (r *returns) Accept() (net.Conn, error) {
	select {
	case conn := <-r.conns:
		return conn, nil
	case <-r.closed:
		return nil, net.ErrClosed
	}
}

// Close implements net.Listener.
func (r *returns) Close() error {
	r.once.Do(func() { close(r.closed) })
	return nil
}

// Addr implements net.Listener.
func (r *returns) Addr() net.Addr { return r.addr }
