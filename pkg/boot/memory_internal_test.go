package boot

import (
	"math"
	"runtime/debug"
	"testing"
)

// Processes for hashes are started for anonymous callers, and use memory that would otherwise be this process's.
func TestLeaveMemory(t *testing.T) {
	before := debug.SetMemoryLimit(-1)
	t.Cleanup(func() { debug.SetMemoryLimit(before) })
	hashes := int64(hashesAtATime()) * 35 << 20
	for _, c := range []struct {
		hashing     []string
		limit, want int64
	}{
		{[]string{"api", "hash"}, 10 << 30, 10<<30 - hashes},
		{[]string{"api", "hash"}, hashes, hashes / 2},
		{[]string{"api", "hash"}, math.MaxInt64, math.MaxInt64},
		{nil, 10 << 30, 10 << 30},
	} {
		debug.SetMemoryLimit(c.limit)
		undo := leaveMemory(Program{Hashing: c.hashing})
		if got := debug.SetMemoryLimit(-1); got != c.want {
			t.Errorf("%v of %d: %d, want %d", c.hashing, c.limit, got, c.want)
		}
		undo()
		if got := debug.SetMemoryLimit(-1); got != c.limit {
			t.Errorf("%v of %d: %d afterwards", c.hashing, c.limit, got)
		}
	}
}
