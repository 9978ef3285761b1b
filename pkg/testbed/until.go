package testbed

import (
	"testing"
	"time"
)

// untilTime is longer than what tests wait for takes on a busy machine.
const untilTime = time.Minute

// Until waits until holds returns true, which what says in words. After a minute, it ends the test.
func Until(t testing.TB, what string, holds func() bool) {
	t.Helper()
	pause := time.Millisecond
	for deadline := time.Now().Add(untilTime); !holds(); time.Sleep(pause) {
		if time.Now().After(deadline) {
			t.Fatalf("waited too long until %s", what)
		}
		pause = min(2*pause, 50*time.Millisecond)
	}
}
