package waiting

import (
	"runtime/debug"
	"time"
)

// The memory that a poll needs until it is parked is garbage afterwards. After a burst of polls, the garbage collector
// may not run for minutes by itself, so it is run once when the burst is over. Without that, 9,500 parked polls take 35
// KB each instead of 19 (docs/decisions/0005-long-polls.md).
const (
	// burstPolls is the number of polls from which on they are a burst.
	burstPolls = 1000
	// collectPause is the minimum time between two collections: each takes some microseconds per waiting poll.
	collectPause = 4 * time.Second
)

// burst detects when a burst of polls is over.
type burst struct {
	polls     int64 // their number at the last call of isOver
	collected int64 // their number at the last collection
	last      time.Time
}

// isOver reports whether a burst is over and its garbage hasn't been collected; came is the number of polls so far.
func (b *burst) isOver(came int64, now time.Time) bool {
	recent := came - b.polls
	b.polls = came
	if came-b.collected < burstPolls || recent > burstPolls/10 || now.Sub(b.last) < collectPause {
		return false
	}
	b.collected, b.last = came, now
	return true
}

func (r *Room) collectAfter(b *burst) {
	if b.isOver(r.came.Load(), r.Now()) {
		debug.FreeOSMemory()
	}
}
