package boot

import (
	"container/list"
	"context"
	"errors"
	"io"
	"log/slog"
	"math"
	"net"
	"net/http"
	"strconv"
	"sync"
	"syscall"
	"time"

	"chatserver.dev/pkg/endpoint"
)

const (
	// memoryPerConnection is the share of GOMEMLIMIT for each connection in package http's server. A connection takes
	// about 50 KB, so all of them take at most a fifth of the memory.
	memoryPerConnection = 256 << 10
	// memoryPerParked is the share for each poll outside of that server. A poll takes less than 15 KB, so all of them take
	// at most a sixth of the memory.
	memoryPerParked = 96 << 10
	// spareDescriptors is how many file descriptors are reserved for other uses, such as new connections to Redis
	// after it was restarted. spareShare limits them to one in this many of all.
	spareDescriptors = 256
	spareShare       = 4
	// silentTime is how long a new connection may be silent before it is the first to make room for others.
	silentTime = time.Second
	// grace is how long a connection may wait for its next request before it can be closed to make room. The next request
	// of a client that sends many in sequence may be on its way. A client can keep all connections only by sending many
	// requests.
	grace = 100 * time.Millisecond
	// refuseTime is the write timeout of a refusal.
	refuseTime = 10 * time.Millisecond
	// warnPeriod is the minimum time between two log entries about refused connections.
	warnPeriod = time.Minute
)

// bound returns the maximum number of connections: as configured, or as memory allows; 0: no limit.
func bound(configured int, memory, perConnection int64) int {
	if configured > 0 || memory == math.MaxInt64 {
		return configured
	}
	return max(1, int(memory/perConnection))
}

// descriptors returns the maximum number of file descriptors that accepted connections may take; 0: no limit.
func descriptors() int {
	limit := syscall.Rlimit{}
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit) != nil || limit.Cur > math.MaxInt32 {
		return 0
	}
	all := int(limit.Cur)
	return all - min(spareDescriptors, all/spareShare)
}

// connLimiter limits the number of connections of package http's server. At the limit, and when the process has few file
// descriptors left, it closes an inactive connection to make room for a new one: the oldest one without any request
// for longer than silentTime, or else the one that has waited the longest for its next request, and longer than
// grace, or else the oldest one without any request. If there is none of these, the new connection is refused.
type connLimiter struct {
	maxConns    int // 0: no limit
	descriptors int // see function descriptors
	now         func() time.Time
	logger      *slog.Logger

	mutex  sync.Mutex
	conns  map[net.Conn]*trackedConn
	silent list.List // of *trackedConn: without a request so far, the oldest first
	idle   list.List // of *trackedConn: waiting for the next request, or for a delayed refusal; the longest wait first
	warned time.Time
}

// trackedConn is a connection with its state.
type trackedConn struct {
	net.Conn

	waited  time.Duration // before it was accepted by package http
	since   time.Time
	in      *list.List    // nil: a request is being served
	element *list.Element // in the list
	closed  chan struct{} // closed when the connection was closed to make room; nil: no request waits for that
}

func newConnLimiter(maxConns, descriptors int, now func() time.Time, logger *slog.Logger) *connLimiter {
	return &connLimiter{maxConns: maxConns, descriptors: descriptors, now: now, logger: logger, conns: map[net.Conn]*trackedConn{}}
}

// listener returns a listener whose connections are limited. Only one goroutine may call its Accept. waited returns how long
// the connection that the given listener returned last had waited.
func (l *connLimiter) listener(listener net.Listener, waited func() time.Duration) net.Listener {
	return &limitedListener{Listener: listener, limiter: l, waited: waited}
}

// limitedListener is a listener of a connLimiter.
type limitedListener struct {
	net.Listener
	limiter *connLimiter
	waited  func() time.Duration
}

// Accept implements net.Listener.
func (l *limitedListener) Accept() (net.Conn, error) {
	for {
		conn, err := l.Listener.Accept()
		switch {
		case errors.Is(err, syscall.EMFILE) && l.limiter.makeRoom():
		case err != nil:
			return nil, err
		case l.limiter.admit(conn, l.waited()):
			return conn, nil
		default:
			l.limiter.refuse(conn)
		}
	}
}

// admit adds a connection that waited for a time, and reports false if there is no room.
func (l *connLimiter) admit(conn net.Conn, waited time.Duration) bool {
	if (l.isFull() || l.isAmongLast(conn)) && !l.makeRoom() {
		return false
	}
	l.mutex.Lock()
	defer l.mutex.Unlock()
	c := &trackedConn{Conn: conn, waited: waited}
	l.conns[conn] = c
	l.put(c, &l.silent)
	return true
}

func (l *connLimiter) isFull() bool {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return l.maxConns > 0 && len(l.conns) >= l.maxConns
}

// isAmongLast reports whether a connection has one of the reserved file descriptors. The system assigns
// the lowest free number, so all lower ones are in use.
func (l *connLimiter) isAmongLast(conn net.Conn) (last bool) {
	socket, ok := conn.(syscall.Conn)
	if !ok || l.descriptors == 0 { // the connection was handed back, or there is no limit
		return false
	}
	raw, err := socket.SyscallConn()
	if err != nil {
		return false
	}
	_ = raw.Control(func(fd uintptr) { last = int(fd) >= l.descriptors }) // fails if the connection is closed
	return last
}

// makeRoom closes an inactive connection, and reports false if there is none.
func (l *connLimiter) makeRoom() bool {
	l.mutex.Lock()
	victim := first(&l.silent)
	if longest := first(&l.idle); l.hasWaited(longest, grace) && !l.hasWaited(victim, silentTime) {
		victim = longest
	}
	if victim != nil {
		l.put(victim, nil)
		delete(l.conns, victim.Conn)
		if victim.closed != nil {
			close(victim.closed)
		}
	}
	l.mutex.Unlock()
	if victim == nil {
		return false
	}
	_ = victim.Close() // ends its goroutine
	return true
}

// hasWaited reports whether c isn't nil and has been inactive for longer than the given time.
func (l *connLimiter) hasWaited(c *trackedConn, than time.Duration) bool {
	return c != nil && l.now().Sub(c.since) > than
}

// first returns the first connection of a list, or nil.
func first(of *list.List) *trackedConn {
	element := of.Front()
	if element == nil {
		return nil
	}
	c, _ := element.Value.(*trackedConn) // always the type
	return c
}

// connKey is the key of the connection in a request's context.
type connKey struct{}

// watch makes the limiter follow the states of a server's connections.
func (l *connLimiter) watch(server *http.Server) {
	server.ConnContext = func(ctx context.Context, conn net.Conn) context.Context {
		l.mutex.Lock()
		defer l.mutex.Unlock()
		if c := l.conns[conn]; c != nil { // it wasn't closed already
			ctx = endpoint.WithWaited(ctx, c.waited)
		}
		return context.WithValue(ctx, connKey{}, conn)
	}
	server.ConnState = l.changed
}

// release permits closing the connection of the request with ctx to make room, as if it waited for its next request, until
// resume is called. closed is closed when the connection has been.
func (l *connLimiter) release(ctx context.Context) (closed <-chan struct{}, resume func()) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	conn, _ := ctx.Value(connKey{}).(net.Conn)
	c := l.conns[conn]
	if c == nil { // it has left package http's server
		return nil, func() {}
	}
	c.closed = make(chan struct{})
	l.put(c, &l.idle)
	return c.closed, func() { l.resume(c) }
}

// resume ends a connection's release, unless it was closed.
func (l *connLimiter) resume(c *trackedConn) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	c.closed = nil
	if l.conns[c.Conn] == c {
		l.put(c, nil)
	}
}

// changed implements http.Server.ConnState.
func (l *connLimiter) changed(conn net.Conn, to http.ConnState) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	c := l.conns[conn]
	if c == nil {
		return // it was closed to make room
	}
	switch to {
	case http.StateNew:
	case http.StateActive:
		l.put(c, nil)
	case http.StateIdle:
		l.put(c, &l.idle)
	case http.StateHijacked, http.StateClosed:
		l.put(c, nil)
		delete(l.conns, conn)
	}
}

// put moves a connection to the end of a list; the mutex is held.
func (l *connLimiter) put(c *trackedConn, to *list.List) {
	if c.in != nil {
		c.in.Remove(c.element)
	}
	if c.in = to; to != nil {
		c.since, c.element = l.now(), to.PushBack(c)
	}
}

// refuse responds that there is no room, without waiting for a slow client, and closes the connection.
func (l *connLimiter) refuse(conn net.Conn) {
	const body = `{"result":"error","msg":"The server has too many connections: try again in a few seconds"}` + "\n"
	l.mutex.Lock()
	now := l.now()
	warns := now.Sub(l.warned) >= warnPeriod
	if warns {
		l.warned = now
	}
	l.mutex.Unlock()
	if warns { // there is no request yet, so there is no context
		l.logger.Warn("connections are refused, since too many are open: raise HTTP_CONNECTIONS or the limit on file descriptors",
			slog.Int("http_connections", l.maxConns), slog.Int("descriptors", l.descriptors))
	}
	_ = conn.SetWriteDeadline(l.now().Add(refuseTime)) // if that fails, so does writing
	_, _ = io.WriteString(conn, "HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/json\r\nX-Content-Type-Options: nosniff\r\n"+
		"Retry-After: 1\r\nConnection: close\r\nContent-Length: "+strconv.Itoa(len(body))+"\r\n\r\n"+body)
	_ = conn.Close()
}
