//go:build !linux

package testbed

import (
	"testing"
	"time"
)

// ProcessorTime returns the time that work takes.
func ProcessorTime(_ testing.TB, work func()) time.Duration {
	begin := time.Now()
	work()
	return time.Since(begin)
}
