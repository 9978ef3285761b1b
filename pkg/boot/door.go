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
	// handful is the maximum number of connections that are accepted within spread. Further ones wait in the system's queue.
	// Otherwise, the requests of many new connections would all start before the next request of an existing one.
	handful = 4
	spread  = time.Millisecond
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

// door limits the number of connections of package http's server. At the limit, and when the process has few file
// descriptors left, it closes an inactive connection to make room for a new one: the oldest one without any request
// for longer than silentTime, or else the one that has waited the longest for its next request, and longer than
// grace, or else the oldest one without any request. If there is none of these, the new connection is refused.
type door struct {
	most        int // 0: no limit
	descriptors int // see function descriptors
	now         func() time.Time
	logger      *slog.Logger

	mutex  sync.Mutex
	guests map[net.Conn]*guest
	silent list.List // of *guest: without a request so far, the oldest first
	idle   list.List // of *guest: waiting for the next request, or for a delayed refusal; the longest wait first
	warned time.Time
}

// guest is a connection.
type guest struct {
	net.Conn

	since time.Time
	in    *list.List    // nil: a request is being served
	place *list.Element // in the list
	left  chan struct{} // closed when the connection was closed to make room; nil: no request waits for that
}

func newDoor(most, descriptors int, now func() time.Time, logger *slog.Logger) *door {
	return &door{most: most, descriptors: descriptors, now: now, logger: logger, guests: map[net.Conn]*guest{}}
}

// at returns a listener whose connections are limited by the door. Only one goroutine may call its Accept.
func (d *door) at(listener net.Listener) net.Listener {
	return &entrance{Listener: listener, door: d}
}

// entrance is a listener of a door.
type entrance struct {
	net.Listener
	door *door

	came  int // connections since
	since time.Time
}

// pace waits if a handful of connections was accepted within spread.
func (e *entrance) pace() {
	if e.came++; e.came <= handful {
		return
	}
	if e.door.now().Sub(e.since) < spread {
		time.Sleep(spread)
	}
	e.came, e.since = 1, e.door.now()
}

// Accept implements net.Listener.
func (e *entrance) Accept() (net.Conn, error) {
	for {
		e.pace()
		conn, err := e.Listener.Accept()
		switch {
		case errors.Is(err, syscall.EMFILE) && e.door.makeRoom():
		case err != nil:
			return nil, err
		case e.door.admit(conn):
			return conn, nil
		default:
			e.door.refuse(conn)
		}
	}
}

// admit adds a connection, and reports false if there is no room.
func (d *door) admit(conn net.Conn) bool {
	if (d.isFull() || d.isAmongLast(conn)) && !d.makeRoom() {
		return false
	}
	d.mutex.Lock()
	defer d.mutex.Unlock()
	g := &guest{Conn: conn}
	d.guests[conn] = g
	d.put(g, &d.silent)
	return true
}

func (d *door) isFull() bool {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	return d.most > 0 && len(d.guests) >= d.most
}

// isAmongLast reports whether a connection has one of the reserved file descriptors. The system assigns
// the lowest free number, so all lower ones are in use.
func (d *door) isAmongLast(conn net.Conn) (last bool) {
	socket, ok := conn.(syscall.Conn)
	if !ok || d.descriptors == 0 { // the connection was handed back, or there is no limit
		return false
	}
	raw, err := socket.SyscallConn()
	if err != nil {
		return false
	}
	_ = raw.Control(func(fd uintptr) { last = int(fd) >= d.descriptors }) // fails if the connection is closed
	return last
}

// makeRoom closes an inactive connection, and reports false if there is none.
func (d *door) makeRoom() bool {
	d.mutex.Lock()
	leaves := first(&d.silent)
	if longest := first(&d.idle); d.hasWaited(longest, grace) && !d.hasWaited(leaves, silentTime) {
		leaves = longest
	}
	if leaves != nil {
		d.put(leaves, nil)
		delete(d.guests, leaves.Conn)
		if leaves.left != nil {
			close(leaves.left)
		}
	}
	d.mutex.Unlock()
	if leaves == nil {
		return false
	}
	_ = leaves.Close() // ends its goroutine
	return true
}

// hasWaited reports whether g isn't nil and has been inactive for longer than the given time.
func (d *door) hasWaited(g *guest, than time.Duration) bool {
	return g != nil && d.now().Sub(g.since) > than
}

// first returns the first guest of a list, or nil.
func first(of *list.List) *guest {
	place := of.Front()
	if place == nil {
		return nil
	}
	g, _ := place.Value.(*guest) // always the type
	return g
}

// connKey is the key of the connection in a request's context.
type connKey struct{}

// watch makes the door follow the states of a server's connections.
func (d *door) watch(server *http.Server) {
	server.ConnContext = func(ctx context.Context, conn net.Conn) context.Context {
		return context.WithValue(ctx, connKey{}, conn)
	}
	server.ConnState = d.changed
}

// rest permits closing the connection of the request with ctx to make room, as if it waited for its next request, until
// resume is called. left is closed when the connection was closed.
func (d *door) rest(ctx context.Context) (left <-chan struct{}, resume func()) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	conn, _ := ctx.Value(connKey{}).(net.Conn)
	g := d.guests[conn]
	if g == nil { // it has left package http's server
		return nil, func() {}
	}
	g.left = make(chan struct{})
	d.put(g, &d.idle)
	return g.left, func() { d.resume(g) }
}

// resume ends a guest's rest, unless the guest has left.
func (d *door) resume(g *guest) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	g.left = nil
	if d.guests[g.Conn] == g {
		d.put(g, nil)
	}
}

// changed implements http.Server.ConnState.
func (d *door) changed(conn net.Conn, to http.ConnState) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	g := d.guests[conn]
	if g == nil {
		return // it was closed to make room
	}
	switch to {
	case http.StateNew:
	case http.StateActive:
		d.put(g, nil)
	case http.StateIdle:
		d.put(g, &d.idle)
	case http.StateHijacked, http.StateClosed:
		d.put(g, nil)
		delete(d.guests, conn)
	}
}

// put moves a guest to the end of a list; the mutex is held.
func (d *door) put(g *guest, to *list.List) {
	if g.in != nil {
		g.in.Remove(g.place)
	}
	if g.in = to; to != nil {
		g.since, g.place = d.now(), to.PushBack(g)
	}
}

// refuse responds that there is no room, without waiting for a slow client, and closes the connection.
func (d *door) refuse(conn net.Conn) {
	const body = `{"result":"error","msg":"The server has too many connections; try again in a moment"}` + "\n"
	d.mutex.Lock()
	now := d.now()
	warns := now.Sub(d.warned) >= warnPeriod
	if warns {
		d.warned = now
	}
	d.mutex.Unlock()
	if warns { // there is no request yet, so there is no context
		d.logger.Warn("connections are refused", slog.Int("http_connections", d.most), slog.Int("descriptors", d.descriptors))
	}
	_ = conn.SetWriteDeadline(d.now().Add(refuseTime)) // if that fails, so does writing
	_, _ = io.WriteString(conn, "HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/json\r\nX-Content-Type-Options: nosniff\r\n"+
		"Retry-After: 1\r\nConnection: close\r\nContent-Length: "+strconv.Itoa(len(body))+"\r\n\r\n"+body)
	_ = conn.Close()
}
