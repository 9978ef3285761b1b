//go:build !linux

package testbed

import (
	"testing"
	"time"
)

// Busy returns the time that work takes.
func Busy(_ testing.TB, work func()) time.Duration {
	begin := time.Now()
	work()
	return time.Since(begin)
}
