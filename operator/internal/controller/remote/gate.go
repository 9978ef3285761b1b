package remote

import (
	"maps"
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
	// turn is the shortest time between two objects that wait for a slot: a pace that a server can hardly exceed.
	turn = 5 * time.Millisecond
	// recent is over how many calls their duration is averaged.
	recent = 8
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
	running  map[string]int // calls by namespace
	outages  int
	until    time.Time // no calls before
	cause    *blocked  // of the last outage
	isolated bool      // a call is testing whether the outage is over

	took  time.Duration        // by a call to which the server responded, on average
	lines map[string]time.Time // when the last object of a namespace that waits for a slot comes back, or should have
}

func newGates(c clock.PassiveClock) *gates {
	return &gates{clock: c, gates: map[types.NamespacedName]*gate{}}
}

// enter asks for permission to call a server for an object of a namespace. If wait is 0, the caller may call the server, and must call leave with
// the result. Otherwise it retries after wait; cause is the server's outage, or nil if all slots are in use.
func (g *gates) enter(server types.NamespacedName, namespace string) (wait time.Duration, cause *blocked) {
	g.mu.Lock()
	defer g.mu.Unlock()
	at := g.gates[server]
	if at == nil {
		at = &gate{running: map[string]int{}, lines: map[string]time.Time{}}
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
	} else if now := g.clock.Now(); !at.admits(namespace, now) {
		return at.queue(namespace, now), nil
	}
	at.calls++
	at.running[namespace]++
	return 0, nil
}

// admits reports whether there is a slot for an object of a namespace. Other namespaces that wait and have fewer calls come first: without
// that, the one whose thousand objects ask all the time would get nearly every slot.
func (at *gate) admits(namespace string, now time.Time) bool {
	maps.DeleteFunc(at.lines, func(_ string, last time.Time) bool { return now.Sub(last) > queuePause })
	free := slots - at.calls
	for other := range at.lines {
		if other != namespace && at.running[other] < at.running[namespace] {
			free--
		}
	}
	if free <= 0 {
		return false
	}
	if last, waits := at.lines[namespace]; waits && !last.After(now) {
		delete(at.lines, namespace) // this was the last one
	}
	return true
}

// queue returns how long another object of a namespace waits for a slot. Each namespace has a line of its own, so that thousands of
// changes in one of them don't delay one in another. Together, objects come back twice as fast as slots get free: workers neither
// wait for them, nor do much but put them back.
func (at *gate) queue(namespace string, now time.Time) time.Duration {
	last, waits := at.lines[namespace]
	lines := len(at.lines)
	if !waits {
		lines++
	}
	wait := max(last.Sub(now), queuePause/4) + max(turn, at.took/(2*slots))*time.Duration(lines)
	at.lines[namespace] = now.Add(min(wait, lastPause))
	return at.lines[namespace].Sub(now)
}

// leave ends a call for an object of a namespace that took some time; blocking is the error, or nil. responded reports whether the server responded: an error of another origin,
// such as a Secret, says nothing about it, and doesn't end an outage.
func (g *gates) leave(server types.NamespacedName, namespace string, took time.Duration, responded bool, blocking *blocked) {
	g.mu.Lock()
	defer g.mu.Unlock()
	at := g.gates[server]
	at.calls--
	if at.running[namespace]--; at.running[namespace] == 0 {
		delete(at.running, namespace)
	}
	at.isolated = false
	if responded {
		at.took += (took - at.took) / recent
	}
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
