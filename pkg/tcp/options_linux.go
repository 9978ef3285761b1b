package tcp

import (
	"os"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// options makes a connection fail where what was sent isn't confirmed in time; probes alone don't do that, since
// none are sent while there is anything else to send. And it has a write wait while unsent bytes or more weren't sent; 0:
// as many as the kernel likes. Connections that are accepted have it from their listener.
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
