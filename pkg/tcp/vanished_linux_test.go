package tcp_test

import (
	"errors"
	"net"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"chatserver.dev/pkg/tcp"
	"chatserver.dev/pkg/testbed"
)

// inNetwork is set in the process that has its own network.
const inNetwork = "TCP_TEST_NETWORK"

// When a client becomes unreachable without notice, its connection fails about half a minute later, whether data were
// sent to it or nothing is sent. After that, reading and writing fail.
func TestVanishedClient(t *testing.T) {
	testbed.Slow(t)
	t.Parallel()
	if os.Getenv(inNetwork) == "" {
		isolated := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestVanishedClient$", "-test.v")
		isolated.Env = append(os.Environ(), inNetwork+"=1")
		isolated.SysProcAttr = &syscall.SysProcAttr{
			Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNET,
			UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
		}
		out, err := isolated.CombinedOutput()
		if exited := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exited) {
			t.Skipf("no network of one's own: %v", err)
		}
		if err != nil {
			t.Errorf("%v\n%s", err, out)
		}
		return
	}
	set(t, unix.IFF_UP)
	listener, err := tcp.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	accepted := map[string]net.Conn{}
	for _, name := range []string{"written to", "left alone"} {
		client, err := net.Dial("tcp", listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer client.Close()
		if accepted[name], err = listener.Accept(); err != nil {
			t.Fatal(err)
		}
	}
	start := time.Now()
	set(t, 0)
	if _, err := accepted["written to"].Write([]byte("hello")); err != nil {
		t.Fatal(err)
	}
	for name, conn := range accepted {
		_ = conn.SetReadDeadline(start.Add(2 * time.Minute))
		_, err := conn.Read(make([]byte, 1))
		if took := time.Since(start); !errors.Is(err, unix.ETIMEDOUT) || took < 20*time.Second || took > time.Minute {
			t.Errorf("%s: %v after %v", name, err, took)
		}
		if _, err := conn.Write([]byte("hello")); err == nil {
			t.Errorf("%s: written afterwards", name)
		}
	}
}

// set sets the flags of the network's only device. Without IFF_UP, all packets are lost.
func set(t *testing.T, flags uint16) {
	t.Helper()
	socket, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(socket)
	device, err := unix.NewIfreq("lo")
	if err != nil {
		t.Fatal(err)
	}
	device.SetUint16(flags)
	if err := unix.IoctlIfreq(socket, unix.SIOCSIFFLAGS, device); err != nil {
		t.Fatal(err)
	}
}
