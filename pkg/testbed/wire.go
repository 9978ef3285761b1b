package testbed

import (
	"context"
	"net"
	"sync"
	"testing"
)

// Wire is a network path to a server's Unix socket that can fail as networks do, without an error. It listens on its
// own TCP port.
type Wire struct {
	addr   string
	socket string

	mutex sync.Mutex
	dead  bool
	conns map[*stretch]struct{}
	over  bool // the test has ended
	trips int
}

// stretch is one connection over a wire.
type stretch struct {
	client, server net.Conn
	silent         bool // whether data are dropped without an error
	asked          bool // whether the client's data were the last
}

// NewWire returns a wire to a Unix socket. It is closed when the test ends.
func NewWire(t testing.TB, socket string) *Wire {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	w := &Wire{addr: listener.Addr().String(), socket: socket, conns: map[*stretch]struct{}{}}
	running := sync.WaitGroup{}
	running.Go(func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return // the test has ended
			}
			running.Go(func() { w.carry(context.WithoutCancel(t.Context()), client) })
		}
	})
	t.Cleanup(func() {
		_ = listener.Close()
		w.mutex.Lock()
		w.over = true
		for c := range w.conns {
			c.close()
		}
		w.mutex.Unlock()
		running.Wait()
	})
	return w
}

// Addr returns the host and port at which the wire listens.
func (w *Wire) Addr() string { return w.addr }

// Sever drops all data on current connections for good, and on new ones until [Wire.Mend]. Neither side gets an
// error, as when a node is lost.
func (w *Wire) Sever() {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	w.dead = true
	for c := range w.conns {
		c.silent = true
	}
}

// Mend makes new connections work again. Severed ones stay silent.
func (w *Wire) Mend() {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	w.dead = false
}

// RoundTrips returns how many times clients have waited for the server: how often data of the server followed data of
// the client, on all connections together.
func (w *Wire) RoundTrips() int {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	return w.trips
}

// carry forwards both directions of a connection until either side closes it.
func (w *Wire) carry(ctx context.Context, client net.Conn) {
	server, err := (&net.Dialer{}).DialContext(ctx, "unix", w.socket)
	if err != nil {
		_ = client.Close() // the server is down and refuses connections
		return
	}
	c := &stretch{client: client, server: server}
	w.mutex.Lock()
	w.conns[c] = struct{}{}
	c.silent = w.dead
	if w.over {
		c.close()
	}
	w.mutex.Unlock()
	both := sync.WaitGroup{}
	both.Go(func() { w.copy(c, server, client) })
	both.Go(func() { w.copy(c, client, server) })
	both.Wait()
	w.mutex.Lock()
	delete(w.conns, c)
	w.mutex.Unlock()
}

// copy forwards one direction. When one side ends, it closes the other side, unless the connection is silent. In that
// case the other side must detect the failure itself.
func (w *Wire) copy(c *stretch, to, from net.Conn) {
	buffer := make([]byte, 32<<10)
	for {
		n, err := from.Read(buffer)
		silent := w.note(c, from, n)
		if n > 0 && !silent {
			_, err = to.Write(buffer[:n])
		}
		if err == nil {
			continue
		}
		if silent {
			_ = from.Close()
		} else {
			c.close()
		}
		return
	}
}

// note counts data that one side has sent, and reports whether they are dropped.
func (w *Wire) note(c *stretch, from net.Conn, bytes int) (silent bool) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	if asks := from == c.client; bytes > 0 {
		if c.asked && !asks {
			w.trips++
		}
		c.asked = asks
	}
	return c.silent && !w.over
}

// close closes both sides. It may be called more than once.
func (c *stretch) close() {
	_ = c.client.Close()
	_ = c.server.Close()
}
