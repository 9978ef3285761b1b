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
)

// dial opens a connection and sends what is given.
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

// answerOn reads an answer of a connection.
func answerOn(t *testing.T, conn net.Conn) (status int, header http.Header, body string) {
	t.Helper()
	_ = conn.SetReadDeadline(time.Now().Add(20 * time.Second))
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

// isClosed reports whether the server closes a connection within a time.
func isClosed(conn net.Conn, within time.Duration) bool {
	_ = conn.SetReadDeadline(time.Now().Add(within))
	_, err := conn.Read(make([]byte, 1))
	return err != nil && !errors.Is(err, os.ErrDeadlineExceeded)
}

const rawPing = "GET /api/v1/ping HTTP/1.1\r\nHost: chat.example\r\n\r\n"

// Connections on which nothing happens lock out nobody, and cost those nothing who send requests.
func TestIdleConnectionsMakeRoom(t *testing.T) {
	t.Parallel()
	p := start(t, boot.Program{Parts: parts(boot.Part{Name: "a", Endpoints: []endpoint.Endpoint{ping()}})}, "HTTP_CONNECTIONS=3")
	served := []net.Conn{}
	for range 4 {
		conn := p.dial(rawPing)
		answerOn(t, conn)
		served = append(served, conn)
	}
	if !isClosed(served[0], 20*time.Second) || isClosed(served[1], 50*time.Millisecond) {
		t.Error("not the longest idle connection is closed")
	}
	silent := p.dial("")
	if !isClosed(served[1], 20*time.Second) {
		t.Error("the second is still open")
	}
	time.Sleep(1100 * time.Millisecond)
	p.dial("")
	if !isClosed(silent, 20*time.Second) {
		t.Error("the silent connection is still open")
	}
	for i := 2; i < 4; i++ {
		if isClosed(served[i], 50*time.Millisecond) {
			t.Errorf("connection %d is closed, though others were silent", i)
		}
	}
	for range 100 {
		p.dial("GET /api")
	}
	for range 20 {
		if status, _ := p.get("/api/v1/ping"); status != http.StatusOK {
			t.Errorf("status %d among silent connections", status)
		}
	}
	if err := p.stop(); err != nil {
		t.Error(err)
	}
}

// Where requests are under way on all connections, the next is refused, until one ends.
func TestBusyConnections(t *testing.T) {
	t.Parallel()
	began, end := make(chan struct{}), make(chan struct{})
	wait := endpoint.Public(endpoint.About{Route: "GET /wait"}, func(context.Context, endpoint.Request, struct{}) (endpoint.Nothing, error) {
		began <- struct{}{}
		<-end
		return endpoint.Nothing{}, nil
	})
	p := start(t, boot.Program{Parts: parts(boot.Part{Name: "a", Endpoints: []endpoint.Endpoint{ping(), wait}})}, "HTTP_CONNECTIONS=2")
	busy := []net.Conn{}
	for range 2 {
		busy = append(busy, p.dial("GET /api/v1/wait HTTP/1.1\r\nHost: chat.example\r\n\r\n"))
		<-began
	}
	for range 3 {
		status, header, body := answerOn(t, p.dial(""))
		if status != http.StatusServiceUnavailable || header.Get("Retry-After") == "" || !strings.Contains(body, `{"result":"error","msg":"The server has too many connections`) {
			t.Errorf("%d %v %s", status, header, body)
		}
	}
	if n := strings.Count(p.log.String(), "connections are refused"); n != 1 {
		t.Errorf("the log says it %d times", n)
	}
	close(end)
	for _, conn := range busy {
		if status, _, _ := answerOn(t, conn); status != http.StatusOK {
			t.Errorf("a request under way: %d", status)
		}
	}
	if status, _ := p.get("/api/v1/ping"); status != http.StatusOK {
		t.Errorf("afterwards: %d", status)
	}
	if err := p.stop(); err != nil {
		t.Error(err)
	}
}

// exhausted is a listener for which there is no file descriptor at times.
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

// A process that has no file descriptors left closes connections on which nothing happens.
func TestNoDescriptors(t *testing.T) {
	t.Parallel()
	conns := make(chan net.Conn, 4)
	listener := boot.Entrance(exhausted{conns: conns}, 0)
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
		t.Errorf("the first is still open: %v", err)
	}
	conns <- nil
	if _, err := listener.Accept(); !errors.Is(err, syscall.EMFILE) {
		t.Errorf("nothing to close: %v", err)
	}
}

// What is configured counts; without it the bounds keep connections below half of the memory.
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
		} else if c.configured == 0 && c.memory == 512<<20 && int64(connections)*(50<<10)+int64(parked)*(25<<10) > c.memory/2 {
			t.Error("connections may take more than half of the memory")
		}
	}
}
