//go:build !linux

package tcp

import (
	"syscall"
	"time"
)

// options does nothing: these systems have no such options, or under other names and with other meanings.
func options(time.Duration, int) func(network, address string, c syscall.RawConn) error { return nil }
