package remote

import (
	"math/rand/v2"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"
)

const (
	// workers of each kind; a server gets at most half of them, so that one that hangs leaves some to others.
	workers = 8
	slots   = workers / 2

	firstPause = time.Second // after a server's first outage; each further one doubles it
	lastPause  = time.Minute
	// queuePause is how long an object waits at most for a slot.
	queuePause = time.Second
)

// gates hold back calls to servers that have enough of them, or that don't answer: then one object at a time
// tries, and all others wait with it. They are safe for concurrent use.
type gates struct {
	clock clock.PassiveClock
	mu    sync.Mutex
	gates map[types.NamespacedName]*gate
}

// gate is that of one server. There is one while it has something to remember.
type gate struct {
	calls    int
	outages  int
	until    time.Time // nobody calls before
	because  *halt     // of the last outage
	isolated bool      // whether a call is under way that finds out whether it is over
}

func newGates(c clock.PassiveClock) *gates {
	return &gates{clock: c, gates: map[types.NamespacedName]*gate{}}
}

// enter asks to call a server. With wait 0 it may be called, and leave has to be called with what became of it.
// Otherwise the caller comes back after wait; because is why, and nil means that others are calling.
func (g *gates) enter(server types.NamespacedName) (wait time.Duration, because *halt) {
	g.mu.Lock()
	defer g.mu.Unlock()
	at := g.gates[server]
	if at == nil {
		at = &gate{}
		g.gates[server] = at
	}
	if at.outages > 0 {
		if left := at.until.Sub(g.clock.Now()); left > 0 {
			return spread(left, left/4+queuePause), at.because
		}
		if at.isolated {
			return spread(2*queuePause, 2*queuePause), at.because
		}
		at.isolated = true
	} else if at.calls >= slots {
		return spread(queuePause/4, queuePause), nil
	}
	at.calls++
	return 0, nil
}

// leave ends a call; h is what it failed with, or nil.
func (g *gates) leave(server types.NamespacedName, h *halt) {
	g.mu.Lock()
	defer g.mu.Unlock()
	at := g.gates[server]
	at.calls--
	at.isolated = false
	switch now := g.clock.Now(); {
	case h == nil || !h.outage:
		at.outages = 0
		if at.calls == 0 {
			delete(g.gates, server)
		}
	case !at.until.After(now): // others that were under way say nothing new
		at.until = now.Add(min(firstPause<<min(at.outages, 10), lastPause))
		at.outages++
		at.because = h
	}
}

// spread returns a time between a duration and that much more.
func spread(d, more time.Duration) time.Duration {
	return d + rand.N(more+1) //nolint:gosec // nobody is to guess it, only not all the same
}
