//go:build !linux

package tcp

import (
	"syscall"
	"time"
)

// options returns nil, because these systems have no such options, or have them with other names and meanings.
func options(time.Duration, int) func(network, address string, c syscall.RawConn) error { return nil }
