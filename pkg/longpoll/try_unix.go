//go:build unix

package longpoll

import "syscall"

// writeNow writes to a socket, which doesn't block.
func writeNow(fd uintptr, data []byte) (int, error) { return syscall.Write(int(fd), data) }
