package tcp_test

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"chatserver.dev/pkg/tcp"
)

// Both ends detect that the peer is unreachable: by probes when nothing is sent, and by a limit on unacknowledged
// data.
func TestSilenceEndsConnections(t *testing.T) {
	t.Parallel()
	listener, err := tcp.ListenConfig().Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	dialed, err := tcp.Dialer(time.Minute).DialContext(t.Context(), "tcp", listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer dialed.Close()
	accepted, err := listener.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer accepted.Close()
	for name, c := range map[string]struct {
		conn  net.Conn
		limit int // seconds
	}{"to a server": {dialed, 5}, "of a client": {accepted, 30}} {
		if ms := option(t, c.conn, unix.TCP_USER_TIMEOUT); ms != 1000*c.limit {
			t.Errorf("%s: sent and not confirmed for %d ms", name, ms)
		}
		quiet := option(t, c.conn, unix.TCP_KEEPIDLE) + option(t, c.conn, unix.TCP_KEEPINTVL)*option(t, c.conn, unix.TCP_KEEPCNT)
		if quiet < c.limit-2 || quiet > c.limit {
			t.Errorf("%s: quiet for %d s", name, quiet)
		}
	}
}

// If a client doesn't read, writes block, however much the kernel would buffer.
func TestUnreadIsNotKept(t *testing.T) {
	t.Parallel()
	listener, err := tcp.ListenConfig().Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	client, err := net.Dial("tcp", listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	if err := client.(*net.TCPConn).SetReadBuffer(4096); err != nil {
		t.Fatal(err)
	}
	server, err := listener.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	if err := server.SetWriteDeadline(time.Now().Add(200 * time.Millisecond)); err != nil {
		t.Fatal(err)
	}
	n, err := server.Write(make([]byte, 16<<20))
	if limit := 512 << 10; !errors.Is(err, os.ErrDeadlineExceeded) || n > limit {
		t.Errorf("%d bytes were buffered, want at most %d: %v", n, limit, err)
	}
}

func option(t *testing.T, conn net.Conn, name int) (value int) {
	t.Helper()
	raw, err := conn.(*net.TCPConn).SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	failed := error(nil)
	if err := raw.Control(func(fd uintptr) { value, failed = unix.GetsockoptInt(int(fd), unix.IPPROTO_TCP, name) }); err != nil || failed != nil {
		t.Fatal(err, failed)
	}
	return value
}

func TestSocketsOfFilesWork(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "s")
	listener, err := tcp.ListenConfig().Listen(t.Context(), "unix", path)
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	conn, err := tcp.Dialer(0).DialContext(t.Context(), "unix", path)
	if err != nil {
		t.Fatal(err)
	}
	_ = conn.Close()
}
