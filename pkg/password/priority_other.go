//go:build !linux

package password

import "syscall"

// yield sets the lowest priority for this process.
func yield() error { return syscall.Setpriority(syscall.PRIO_PROCESS, 0, 20) }
