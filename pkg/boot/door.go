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
	// memoryPerConnection is what of GOMEMLIMIT there must be for each connection in package http's server,
	// which costs about 50 KB: a fifth of the memory goes there at most.
	memoryPerConnection = 256 << 10
	// memoryPerParked is the same for polls outside of it, which cost less than 15 KB: a sixth goes there at most.
	memoryPerParked = 96 << 10
	// spareDescriptors is how many file descriptors connections leave to everything else, such as new connections to Redis
	// after it was restarted, and spareShare is what part of them that is at most.
	spareDescriptors = 256
	spareShare       = 4
	// patience is how long a new connection may be silent before it makes room for others first.
	patience = time.Second
	// grace is how long a connection may wait for its next request before it makes room: the request of a client
	// that sends one after another may be on its way. Whoever has all connections do that sends many requests.
	grace = 100 * time.Millisecond
	// handful is how many connections come in within spread at most: those beyond it wait in the system's queue. Else a
	// crowd that comes at once has all its requests begin before the next request on a connection that is there.
	handful = 4
	spread  = time.Millisecond
	// refuseTime bounds how long a refusal waits for its client.
	refuseTime = 10 * time.Millisecond
	// warnPeriod is how often the log says that connections are refused, at most.
	warnPeriod = time.Minute
)

// bound returns how many connections there may be: as configured, or as memory allows, or any number (0).
func bound(configured int, memory, perConnection int64) int {
	if configured > 0 || memory == math.MaxInt64 {
		return configured
	}
	return max(1, int(memory/perConnection))
}

// descriptors returns how many file descriptors of a process connections may take, other than those that it opens itself;
// 0: any number.
func descriptors() int {
	limit := syscall.Rlimit{}
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit) != nil || limit.Cur > math.MaxInt32 {
		return 0
	}
	all := int(limit.Cur)
	return all - min(spareDescriptors, all/spareShare)
}

// door bounds how many connections package http's server has at a time. At the bound, and when the process has few file
// descriptors left, a connection on which nothing happens makes room for a new one: the oldest that has been silent
// for longer than patience since it came, else the one that has waited the longest for its next request, and longer than
// grace, else the oldest silent one. A new connection is refused where there is none of these.
type door struct {
	most        int // 0: any number
	descriptors int // see function descriptors
	now         func() time.Time
	logger      *slog.Logger

	mutex  sync.Mutex
	guests map[net.Conn]*guest
	silent list.List // of *guest: no request has come, the oldest first
	idle   list.List // of *guest: the next request hasn't come, or one waits to be refused; the longest wait first
	warned time.Time
}

// guest is a connection.
type guest struct {
	net.Conn

	since time.Time
	in    *list.List    // nil: a request is under way
	place *list.Element // in the list
	left  chan struct{} // closed when it makes room; nil: its request needs no notice
}

func newDoor(most, descriptors int, now func() time.Time, logger *slog.Logger) *door {
	return &door{most: most, descriptors: descriptors, now: now, logger: logger, guests: map[net.Conn]*guest{}}
}

// at returns a listener whose connections pass the door. One goroutine accepts them.
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

// pace waits where a handful of connections came in just now.
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

// admit enters a connection, and reports false where there is no room.
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

// isAmongLast reports whether a connection has one of the file descriptors that are reserved for others. The system takes
// the lowest number that is free, so all below it are in use.
func (d *door) isAmongLast(conn net.Conn) (last bool) {
	socket, ok := conn.(syscall.Conn)
	if !ok || d.descriptors == 0 { // one that was let in before has come back, or there is no limit
		return false
	}
	raw, err := socket.SyscallConn()
	if err != nil {
		return false
	}
	_ = raw.Control(func(fd uintptr) { last = int(fd) >= d.descriptors }) // a connection that is closed has none
	return last
}

// makeRoom closes a connection on which nothing happens, and reports false where there is none.
func (d *door) makeRoom() bool {
	d.mutex.Lock()
	leaves := first(&d.silent)
	if longest := first(&d.idle); d.hasWaited(longest, grace) && !d.hasWaited(leaves, patience) {
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
	_ = leaves.Close() // its goroutine notices
	return true
}

// hasWaited reports whether there is a guest, on which nothing has happened for longer than that.
func (d *door) hasWaited(g *guest, than time.Duration) bool {
	return g != nil && d.now().Sub(g.since) > than
}

// first returns the first guest of a list; nil: there is none.
func first(of *list.List) *guest {
	place := of.Front()
	if place == nil {
		return nil
	}
	g, _ := place.Value.(*guest) // there is nothing else in it
	return g
}

// connKey is where a request's context has its connection.
type connKey struct{}

// watch has the door see what happens on the connections of a server.
func (d *door) watch(server *http.Server) {
	server.ConnContext = func(ctx context.Context, conn net.Conn) context.Context {
		return context.WithValue(ctx, connKey{}, conn)
	}
	server.ConnState = d.changed
}

// rest lets the connection of a request, which ctx is of, make room as if it waited for its next request, until resume
// is called. left is closed when it has made room.
func (d *door) rest(ctx context.Context) (left <-chan struct{}, resume func()) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	conn, _ := ctx.Value(connKey{}).(net.Conn)
	g := d.guests[conn]
	if g == nil { // it isn't package http's any more
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

// changed is for http.Server.ConnState.
func (d *door) changed(conn net.Conn, to http.ConnState) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	g := d.guests[conn]
	if g == nil {
		return // it has made room
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

// refuse says that there is no room, as far as the client reads at once.
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
	_ = conn.SetWriteDeadline(d.now().Add(refuseTime)) // where that fails, so does what follows
	_, _ = io.WriteString(conn, "HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/json\r\nX-Content-Type-Options: nosniff\r\n"+
		"Retry-After: 1\r\nConnection: close\r\nContent-Length: "+strconv.Itoa(len(body))+"\r\n\r\n"+body)
	_ = conn.Close()
}
