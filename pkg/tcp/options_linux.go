package tcp

import (
	"os"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// options returns a function that makes a connection fail if sent data aren't acknowledged within gone. Probes aren't
// enough, because the kernel sends none while other data are waiting. Writes also block while at least unsent bytes
// haven't been sent yet; 0: the kernel decides. Accepted connections inherit the options from their listener.
func options(gone time.Duration, unsent int) func(network, address string, c syscall.RawConn) error {
	return func(network, _ string, c syscall.RawConn) error {
		if !strings.HasPrefix(network, "tcp") {
			return nil
		}
		failed := error(nil)
		err := c.Control(func(fd uintptr) {
			failed = unix.SetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_USER_TIMEOUT, int(gone.Milliseconds()))
			if failed == nil && unsent > 0 {
				failed = unix.SetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_NOTSENT_LOWAT, unsent)
			}
		})
		if err != nil {
			return err
		}
		return os.NewSyscallError("setsockopt", failed)
	}
}
