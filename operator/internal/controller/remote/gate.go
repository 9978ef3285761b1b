package remote

import (
	"math/rand/v2"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"
)

const (
	// workers of each kind; a server uses at most half of them, so that a server that hangs doesn't block others.
	workers = 8
	slots   = workers / 2

	firstPause = time.Second // after a server's first outage; each further one doubles it
	lastPause  = time.Minute
	queuePause = time.Second // between attempts for an object that waits for another's call
	// turn is the time between two objects that wait for a slot: at a pace that a server can hardly exceed, workers without
	// a slot have little to do.
	turn = 5 * time.Millisecond
)

// gates limit calls to each server. If a server fails, one object at a time retries and all others wait. They are safe
// for concurrent use.
type gates struct {
	clock clock.PassiveClock
	mu    sync.Mutex
	gates map[types.NamespacedName]*gate
}

// gate is the state of one server. It exists only while there are calls or outages.
type gate struct {
	calls    int
	outages  int
	until    time.Time // no calls before
	cause    *blocked  // of the last outage
	isolated bool      // a call is testing whether the outage is over
	last     time.Time // when the last of those that wait for a slot comes back
}

func newGates(c clock.PassiveClock) *gates {
	return &gates{clock: c, gates: map[types.NamespacedName]*gate{}}
}

// enter asks for permission to call a server. If wait is 0, the caller may call the server, and must call leave with
// the result. Otherwise it retries after wait; cause is the server's outage, or nil if all slots are in use.
func (g *gates) enter(server types.NamespacedName) (wait time.Duration, cause *blocked) {
	g.mu.Lock()
	defer g.mu.Unlock()
	at := g.gates[server]
	if at == nil {
		at = &gate{}
		g.gates[server] = at
	}
	if at.outages > 0 {
		if left := at.until.Sub(g.clock.Now()); left > 0 {
			return spread(left, left/4+queuePause), at.cause
		}
		if at.isolated {
			return spread(2*queuePause, 2*queuePause), at.cause
		}
		at.isolated = true
	} else if at.calls >= slots {
		return at.queue(g.clock.Now()), nil
	}
	at.calls++
	return 0, nil
}

// queue returns how long another object waits for a slot.
func (at *gate) queue(now time.Time) time.Duration {
	wait := max(at.last.Sub(now), queuePause/4) + turn
	at.last = now.Add(min(wait, lastPause))
	return at.last.Sub(now)
}

// leave ends a call; blocking is the error, or nil. responded reports whether the server responded: an error of another origin,
// such as a Secret, says nothing about it, and doesn't end an outage.
func (g *gates) leave(server types.NamespacedName, responded bool, blocking *blocked) {
	g.mu.Lock()
	defer g.mu.Unlock()
	at := g.gates[server]
	at.calls--
	at.isolated = false
	switch now := g.clock.Now(); {
	case blocking != nil && blocking.outage:
		if !at.until.After(now) { // concurrent calls that failed together count as one outage
			at.until = now.Add(min(firstPause<<min(at.outages, 10), lastPause))
			at.outages++
			at.cause = blocking
		}
	case responded:
		at.outages = 0
	}
	if at.calls == 0 && at.outages == 0 {
		delete(g.gates, server)
	}
}

// spread returns a random duration from d to d+more.
func spread(d, more time.Duration) time.Duration {
	return d + rand.N(more+1) //nolint:gosec // jitter, not a secret
}
