package boot_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"math"
	"net"
	"net/http"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"chatserver.dev/pkg/boot"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/testbed"
)

// dial opens a connection and sends raw.
func (p *process) dial(raw string) net.Conn {
	p.t.Helper()
	conn, err := (&net.Dialer{}).DialContext(p.t.Context(), "tcp", strings.TrimPrefix(p.url, "http://"))
	if err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() { _ = conn.Close() })
	if _, err := io.WriteString(conn, raw); err != nil {
		p.t.Fatal(err)
	}
	return conn
}

// answerOn reads a response from a connection.
func answerOn(t *testing.T, conn net.Conn) (status int, header http.Header, body string) {
	t.Helper()
	_ = conn.SetReadDeadline(time.Now().Add(time.Minute))
	response, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	raw, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, response.Header, string(raw)
}

// A new connection replaces the least useful one.
func TestWhoMakesRoom(t *testing.T) {
	t.Parallel()
	const long = 2 * time.Second
	for _, c := range []struct {
		name   string
		states []http.ConnState // of the existing connections, oldest first
		age    time.Duration    // of all of them
		leaves int              // -1: none; the new one is refused
	}{
		{"requests under way on all", []http.ConnState{http.StateActive, http.StateActive}, long, -1},
		{"silent for long", []http.ConnState{http.StateIdle, http.StateNew, http.StateNew}, long, 1},
		{"the longest wait", []http.ConnState{http.StateActive, http.StateIdle, http.StateIdle}, long, 1},
		{"a wait of some time", []http.ConnState{http.StateNew, http.StateIdle, http.StateActive}, 500 * time.Millisecond, 1},
		{"silent for a moment", []http.ConnState{http.StateIdle, http.StateNew}, 0, 1},
		{"the next request is on its way", []http.ConnState{http.StateIdle, http.StateActive}, 0, -1},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			now := time.Now()
			conns := make(chan net.Conn, len(c.states)+2)
			listener, changed := boot.LimitedListener(exhausted{conns: conns}, len(c.states), func() time.Time { return now })
			there := make([]*recorder, len(c.states))
			for i, state := range c.states {
				there[i] = &recorder{}
				conns <- there[i]
				if got, err := listener.Accept(); err != nil || got != there[i] {
					t.Fatalf("%v, %v", got, err)
				}
				changed(there[i], state)
			}
			now = now.Add(c.age)
			newcomer := &recorder{}
			conns <- newcomer
			conns <- nil // so that Accept returns after a refusal
			_, err := listener.Accept()
			if refused := err != nil; refused != (c.leaves < 0) || refused != strings.HasPrefix(newcomer.written.String(), "HTTP/1.1 503 ") {
				t.Errorf("%v; the new connection got %q", err, newcomer.written.String())
			}
			for i, conn := range there {
				if conn.closed != (i == c.leaves) {
					t.Errorf("connection %d: closed %t", i, conn.closed)
				}
			}
		})
	}
}

// A connection whose request waits to be refused can be replaced like an idle one. The context of the request ends.
func TestReleased(t *testing.T) {
	t.Parallel()
	now, conns := time.Now(), make(chan net.Conn, 4)
	remembered := func(ctx context.Context, _ net.Conn) context.Context { return ctx }
	server := &http.Server{ConnContext: remembered, ReadHeaderTimeout: time.Minute}
	listener, release := boot.Watched(exhausted{conns: conns}, 2, func() time.Time { return now }, server)
	enter := func() (*recorder, context.Context) {
		conn := &recorder{}
		conns <- conn
		if _, err := listener.Accept(); err != nil {
			t.Fatal(err)
		}
		server.ConnState(conn, http.StateActive)
		return conn, server.ConnContext(t.Context(), conn)
	}
	answered, ofAnswered := enter()
	waits, ofWaits := enter()
	_, resume := release(ofAnswered)
	left, leave := release(ofWaits)
	resume() // the response is written
	now = now.Add(time.Second)
	conns <- &recorder{}
	if _, err := listener.Accept(); err != nil {
		t.Fatal(err)
	}
	select {
	case <-left:
	default:
		t.Error("the request wasn't cancelled when its connection was closed")
	}
	leave()
	if answered.closed || !waits.closed {
		t.Errorf("closed: %t for the answered connection, %t for the waiting one", answered.closed, waits.closed)
	}
	if left, resume := release(ofWaits); left != nil {
		t.Error("a closed connection is still released")
	} else {
		resume()
	}
}

// A client that tries keys can't lock out others, neither by delayed refusals nor by its waiting connections.
func TestTryingKeys(t *testing.T) {
	testbed.Slow(t)
	t.Parallel()
	p := start(t, boot.Program{Parts: parts(boot.Part{Name: "a", Endpoints: []endpoint.Endpoint{ping(), counted()}})},
		"HTTP_CONNECTIONS=4", "RATE_LIMIT_REFUSALS=1/1h")
	const attempt = "DELETE /api/v1/counted HTTP/1.1\r\nHost: chat.example\r\n\r\n"
	if status, _, _ := answerOn(t, p.dial(attempt)); status != http.StatusUnauthorized {
		t.Errorf("the first: %d", status)
	}
	started := time.Now()
	if status, _, _ := answerOn(t, p.dial(attempt)); status != http.StatusUnauthorized || time.Since(started) < time.Second {
		t.Errorf("the second: %d after %v, want 401 after a second", status, time.Since(started))
	}
	for range 5 {
		for range 4 {
			p.dial(attempt)
		}
		time.Sleep(200 * time.Millisecond) // until they may be closed
		if status, body := p.get("/api/v1/ping"); status != http.StatusOK {
			t.Errorf("another client: %d %s", status, body)
		}
	}
	if err := p.stop(); err != nil {
		t.Error(err)
	}
}

// recorder is a connection that records calls.
type recorder struct {
	net.Conn
	written strings.Builder
	closed  bool
}

func (r *recorder) Write(p []byte) (int, error)      { return r.written.Write(p) }
func (r *recorder) SetWriteDeadline(time.Time) error { return nil }
func (r *recorder) Close() error                     { r.closed = true; return nil }

// Idle connections don't lock out other clients.
func TestSilentConnections(t *testing.T) {
	testbed.Slow(t)
	t.Parallel()
	p := start(t, boot.Program{Parts: parts(boot.Part{Name: "a", Endpoints: []endpoint.Endpoint{ping()}})}, "HTTP_CONNECTIONS=3")
	for range 100 {
		p.dial("GET /api")
	}
	for range 20 {
		if status, _ := p.get("/api/v1/ping"); status != http.StatusOK {
			t.Errorf("status %d with idle connections", status)
		}
	}
	if err := p.stop(); err != nil {
		t.Error(err)
	}
}

// While all connections have requests in progress, the next connection is refused.
func TestBusyConnections(t *testing.T) {
	t.Parallel()
	started, end := make(chan struct{}), make(chan struct{})
	wait := endpoint.Public(endpoint.About{Route: "GET /wait"}, func(context.Context, endpoint.Request, struct{}) (endpoint.Nothing, error) {
		started <- struct{}{}
		<-end
		return endpoint.Nothing{}, nil
	})
	p := start(t, boot.Program{Parts: parts(boot.Part{Name: "a", Endpoints: []endpoint.Endpoint{ping(), wait}})}, "HTTP_CONNECTIONS=2")
	busy := []net.Conn{}
	for range 2 {
		busy = append(busy, p.dial("GET /api/v1/wait HTTP/1.1\r\nHost: chat.example\r\n\r\n"))
		<-started
	}
	for range 3 {
		status, header, body := answerOn(t, p.dial(""))
		if status != http.StatusServiceUnavailable || header.Get("Retry-After") == "" || !strings.Contains(body, `{"result":"error","msg":"The server has too many connections`) {
			t.Errorf("%d %v %s", status, header, body)
		}
	}
	if n := strings.Count(p.log.String(), "connections are refused"); n != 1 {
		t.Errorf("it was logged %d times", n)
	}
	close(end)
	for _, conn := range busy {
		if status, _, _ := answerOn(t, conn); status != http.StatusOK {
			t.Errorf("a request in progress: %d", status)
		}
	}
	time.Sleep(200 * time.Millisecond) // until the connections may be closed
	if status, _ := p.get("/api/v1/ping"); status != http.StatusOK {
		t.Errorf("afterwards: %d", status)
	}
	if err := p.stop(); err != nil {
		t.Error(err)
	}
}

// exhausted is a listener that sometimes has no file descriptor left.
type exhausted struct {
	net.Listener
	conns chan net.Conn // nil: no descriptor
}

func (e exhausted) Accept() (net.Conn, error) {
	if conn := <-e.conns; conn != nil {
		return conn, nil
	}
	return nil, &net.OpError{Op: "accept", Err: os.NewSyscallError("accept4", syscall.EMFILE)}
}

// A process without free file descriptors closes idle connections.
func TestNoDescriptors(t *testing.T) {
	t.Parallel()
	conns := make(chan net.Conn, 4)
	listener, _ := boot.LimitedListener(exhausted{conns: conns}, 0, time.Now)
	first, client := net.Pipe()
	second, _ := net.Pipe()
	for _, conn := range []net.Conn{first, nil, second, nil} {
		conns <- conn
	}
	for _, want := range []net.Conn{first, second} {
		if got, err := listener.Accept(); err != nil || got != want {
			t.Fatalf("%v, %v", got, err)
		}
	}
	if _, err := client.Read(make([]byte, 1)); !errors.Is(err, io.EOF) {
		t.Errorf("the first connection is still open: %v", err)
	}
	conns <- nil
	if _, err := listener.Accept(); !errors.Is(err, syscall.EMFILE) {
		t.Errorf("no connection was closed: %v", err)
	}
}

// Connections leave the last file descriptors for other uses: a new connection with one of these replaces an idle one
// or is refused. Connections are accepted again as soon as a lower descriptor is free.
func TestLastDescriptors(t *testing.T) {
	t.Parallel()
	now, conns := time.Now(), make(chan net.Conn, 2)
	listener, changed := boot.Sparing(exhausted{conns: conns}, 10, func() time.Time { return now })
	comes := func(conn net.Conn) (refused bool) {
		conns <- conn
		conns <- nil // so that Accept returns after a refusal
		got, err := listener.Accept()
		if err == nil {
			<-conns
			changed(got, http.StateActive)
		}
		return err != nil
	}
	idle, busy, last, late, next := &socket{fd: 8}, &socket{fd: 9}, &socket{fd: 10}, &socket{fd: 11}, &socket{fd: 9}
	if comes(idle) || comes(busy) {
		t.Error("refused although descriptors are left")
	}
	changed(idle, http.StateIdle)
	now = now.Add(time.Second)
	if comes(last) || !idle.closed || busy.closed {
		t.Error("the idle connection wasn't replaced")
	}
	if !comes(late) || !late.closed || !strings.HasPrefix(late.written.String(), "HTTP/1.1 503 ") {
		t.Errorf("the new connection got %q", late.written.String())
	}
	if comes(next) || last.closed {
		t.Error("refused although others have ended")
	}
	if comes(&recorder{}) {
		t.Error("a returned connection was refused")
	}
}

// socket is a recorder with a file descriptor.
type socket struct {
	recorder

	fd number
}

func (s *socket) SyscallConn() (syscall.RawConn, error) { return s.fd, nil }

// number is an unused file descriptor.
type number uintptr

func (n number) Control(f func(fd uintptr)) error {
	f(uintptr(n))
	return nil
}
func (number) Read(func(fd uintptr) bool) error  { return errors.ErrUnsupported }
func (number) Write(func(fd uintptr) bool) error { return errors.ErrUnsupported }

// Configured limits apply. Without them, the defaults keep connections below half of the memory.
func TestBounds(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		configured          int
		memory              int64
		connections, parked int
	}{
		{0, math.MaxInt64, 0, 0}, {7, math.MaxInt64, 7, 7}, {7, 512 << 20, 7, 7}, {0, 512 << 20, 2048, 5461}, {0, 1, 1, 1},
	} {
		if connections, parked := boot.Bounds(c.configured, c.memory); connections != c.connections || parked != c.parked {
			t.Errorf("%+v: %d, %d", c, connections, parked)
		} else if c.configured == 0 && c.memory == 512<<20 && int64(connections)*(50<<10)+int64(parked)*(15<<10) > c.memory/2 {
			t.Error("connections may take more than half of the memory")
		}
	}
}
