package tcp

import (
	"os"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// userTimeout makes a connection fail where what was sent isn't confirmed in time; probes alone don't do that, since
// none are sent while there is anything else to send. Connections that are accepted have it from their listener.
func userTimeout(gone time.Duration) func(network, address string, c syscall.RawConn) error {
	return func(network, _ string, c syscall.RawConn) error {
		if !strings.HasPrefix(network, "tcp") {
			return nil
		}
		failed := error(nil)
		err := c.Control(func(fd uintptr) {
			failed = unix.SetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_USER_TIMEOUT, int(gone.Milliseconds()))
		})
		if err != nil {
			return err
		}
		return os.NewSyscallError("setsockopt", failed)
	}
}
