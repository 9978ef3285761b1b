package endpoint

import (
	"sync/atomic"
	"time"
)

const (
	// workTime is how long a large answer is made without a rest. With one processor, everything else in the process
	// waits meanwhile: Go polls the network only when there is nothing else to run, or after ten milliseconds.
	// Yielding (runtime.Gosched) doesn't help, since it doesn't poll.
	workTime = time.Millisecond
	// restTime is the requested duration of a rest when nothing else is under way. It really lasts a millisecond, the
	// least that Go's poller sleeps.
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
