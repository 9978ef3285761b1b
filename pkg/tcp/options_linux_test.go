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
	"chatserver.dev/pkg/testbed"
)

// Both ends detect that the peer is unreachable: by probes when nothing is sent, and by a limit on unacknowledged
// data.
func TestSilenceEndsConnections(t *testing.T) {
	t.Parallel()
	listener, err := tcp.Listen(t.Context(), "tcp", "127.0.0.1:0")
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
		conn          net.Conn
		limit, spread int // seconds
	}{"to a server": {dialed, 5, 0}, "of a client": {accepted, 30, 6}} {
		if ms := option(t, c.conn, unix.TCP_USER_TIMEOUT); ms != 1000*c.limit {
			t.Errorf("%s: sent and not confirmed for %d ms", name, ms)
		}
		quiet := option(t, c.conn, unix.TCP_KEEPIDLE) + option(t, c.conn, unix.TCP_KEEPINTVL)*option(t, c.conn, unix.TCP_KEEPCNT)
		if quiet < c.limit-c.spread-2 || quiet > c.limit+c.spread {
			t.Errorf("%s: quiet for %d s", name, quiet)
		}
	}
}

// Clients that come together are probed at different times, so that no probes are lost. Thousands are connected
// within less than a second, and are idle for longer than it takes to give one up.
func TestIdleClientsStay(t *testing.T) {
	testbed.Slow(t)
	t.Parallel()
	const clients = 6_000
	listener, err := tcp.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	accepted := make([]net.Conn, clients)
	for i := range accepted {
		client, err := net.Dial("tcp", listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer client.Close()
		if accepted[i], err = listener.Accept(); err != nil {
			t.Fatal(err)
		}
		defer accepted[i].Close()
	}
	time.Sleep(38 * time.Second)
	lost := 0
	for _, conn := range accepted {
		if !established(t, conn) {
			lost++
		}
	}
	if lost > 0 {
		t.Errorf("%d of %d connections failed", lost, clients)
	}
}

// If a client doesn't read, writes block, however much the kernel would buffer.
func TestUnreadIsNotKept(t *testing.T) {
	t.Parallel()
	listener, err := tcp.Listen(t.Context(), "tcp", "127.0.0.1:0")
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

// established reports whether the kernel takes a connection for alive.
func established(t *testing.T, conn net.Conn) bool {
	t.Helper()
	raw, err := conn.(*net.TCPConn).SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	info, failed := (*unix.TCPInfo)(nil), error(nil)
	if err := raw.Control(func(fd uintptr) { info, failed = unix.GetsockoptTCPInfo(int(fd), unix.IPPROTO_TCP, unix.TCP_INFO) }); err != nil || failed != nil {
		t.Fatal(err, failed)
	}
	return info.State == 1 // TCP_ESTABLISHED
}

func TestSocketsOfFilesWork(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "s")
	listener, err := tcp.Listen(t.Context(), "unix", path)
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
