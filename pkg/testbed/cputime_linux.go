package testbed

import (
	"runtime"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// ProcessorTime returns the processor time that work takes in the caller's goroutine, which other programs and tests hardly affect.
func ProcessorTime(t testing.TB, work func()) time.Duration {
	t.Helper()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	used := func() time.Duration {
		now := unix.Timespec{}
		if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &now); err != nil {
			t.Fatal(err)
		}
		return time.Duration(now.Nano())
	}
	before := used()
	work()
	return used() - before
}
