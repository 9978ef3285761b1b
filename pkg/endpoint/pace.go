package endpoint

import (
	"sync/atomic"
	"time"
)

const (
	// workTime is how long a large answer is made without a rest. Everything else in the process waits meanwhile where
	// there is one processor: Go asks the network only when there is nothing else to run, or after ten milliseconds.
	// Giving way to others (runtime.Gosched) doesn't help, for it asks nobody.
	workTime = time.Millisecond
	// restTime is what a rest is asked to last where nobody else has anything to do. It lasts a millisecond, for that is
	// how long Go's poller sleeps at least.
	restTime = 100 * time.Microsecond
	// restFactor is how many times as long as the work a rest is while small calls are under way, and longestRest how
	// long at most: a large answer takes about four times as long beside them, and they hardly notice it.
	restFactor  = 3
	longestRest = 10 * time.Millisecond
)

// pace is how a large answer is made: a little at a time.
type pace struct {
	since time.Time // the last rest
	small *atomic.Int64
}

func newPace(small *atomic.Int64) *pace {
	return &pace{time.Now(), small} //nolint:forbidigo // processors have the system's time
}

// rest rests when it is time to, and costs next to nothing otherwise.
func (p *pace) rest() {
	took := time.Since(p.since) //nolint:forbidigo // as above
	if took < workTime {
		return
	}
	d := restTime
	if p.small.Load() > 0 {
		d = min(restFactor*took, longestRest)
	}
	time.Sleep(d)
	p.since = time.Now() //nolint:forbidigo // as above
}
