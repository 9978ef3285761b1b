//go:build !linux

package main

import (
	"fmt"
	"os"
)

func main() {
	fmt.Fprintln(os.Stderr, "bench: it reads /proc and waits with epoll, so it needs Linux")
	os.Exit(2)
}
