//go:build unix

package main

import (
	"os"
	"syscall"
)

func flock(file *os.File) error { return syscall.Flock(int(file.Fd()), syscall.LOCK_EX) }
