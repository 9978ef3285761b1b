//go:build !linux

package tcp

import (
	"syscall"
	"time"
)

// userTimeout does nothing: these systems have no such option, or under another name and with another meaning.
func userTimeout(time.Duration) func(network, address string, c syscall.RawConn) error { return nil }
