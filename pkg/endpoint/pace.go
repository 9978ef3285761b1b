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
	// restTime is the requested duration of a rest when there are no small calls. The actual duration is a millisecond, the
	// minimum that Go's poller sleeps.
	restTime = 100 * time.Microsecond
	// restFactor is the duration of a rest while there are small calls, as a multiple of the work before it. maxRest is
	// its maximum. A large answer then takes about four times as long, and hardly slows the small calls down.
	restFactor = 3
	maxRest    = 10 * time.Millisecond
)

// pace divides the making of a large answer into short periods of work, with rests between them.
type pace struct {
	since time.Time // the last rest
	small *atomic.Int64
}

func newPace(small *atomic.Int64) *pace {
	return &pace{time.Now(), small} //nolint:forbidigo // processors have the system's time
}

// rest sleeps if the last rest is workTime ago. Otherwise it is very fast.
func (p *pace) rest() {
	took := time.Since(p.since) //nolint:forbidigo // as above
	if took < workTime {
		return
	}
	d := restTime
	if p.small.Load() > 0 {
		d = min(restFactor*took, maxRest)
	}
	time.Sleep(d)
	p.since = time.Now() //nolint:forbidigo // as above
}
