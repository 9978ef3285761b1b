package remote

import (
	"math/rand/v2"
	"slices"
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
	probePause = time.Second // between attempts for an object while another's call tests whether an outage is over
)

// limiter limits calls to each server. An object that finds all slots in use waits in line, and is put into the queue when it is its turn.
// If a server fails, one object at a time retries and all others wait. It is safe for concurrent use.
type limiter struct {
	clock clock.PassiveClock
	// enqueue puts an object into the queue. It is set before the first pass.
	enqueue func(object types.NamespacedName)

	mu      sync.Mutex
	servers map[types.NamespacedName]*serverCalls
	turns   map[types.NamespacedName]types.NamespacedName // the server with a slot for an object that was put into the queue
}

// serverCalls is the state of one server. It exists only while there are calls or outages.
type serverCalls struct {
	calls    int            // including slots for objects whose turn it is
	running  map[string]int // calls by namespace
	outages  int
	until    time.Time // no calls before
	cause    *blocked  // of the last outage
	isolated bool      // a call is testing whether the outage is over

	lines []line                        // of objects that wait for a slot; the namespace whose turn was last comes last
	waits map[types.NamespacedName]bool // the objects in lines
}

// line has the objects of a namespace that wait for a slot, in order.
type line struct {
	namespace string
	objects   []types.NamespacedName
}

func newLimiter(c clock.PassiveClock) *limiter {
	return &limiter{clock: c, servers: map[types.NamespacedName]*serverCalls{}, turns: map[types.NamespacedName]types.NamespacedName{}}
}

// enter asks for permission to call a server for an object. If the error is nil, the caller may call the server, and must call leave with
// the result. Otherwise it is a [deferred].
func (l *limiter) enter(server, object types.NamespacedName) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	at := l.servers[server]
	if at == nil {
		at = &serverCalls{running: map[string]int{}, waits: map[types.NamespacedName]bool{}}
		l.servers[server] = at
	}
	turn := l.turns[object] == server
	if at.outages > 0 {
		if left := at.until.Sub(l.clock.Now()); left > 0 {
			return deferred{spread(left, left/4+probePause), at.cause}
		}
		if at.isolated {
			return deferred{spread(2*probePause, 2*probePause), at.cause}
		}
		at.isolated = true
	} else if !turn && at.calls >= slots {
		at.wait(object)
		return deferred{}
	}
	if turn {
		delete(l.turns, object)
	} else {
		at.take(object.Namespace)
	}
	return nil
}

// wait appends an object to the line of its namespace. Each namespace has one of its own, so that thousands of changes in one of them don't
// delay one in another.
func (at *serverCalls) wait(object types.NamespacedName) {
	if at.waits[object] {
		return
	}
	at.waits[object] = true
	i := slices.IndexFunc(at.lines, func(l line) bool { return l.namespace == object.Namespace })
	if i < 0 {
		i = len(at.lines)
		at.lines = append(at.lines, line{namespace: object.Namespace})
	}
	at.lines[i].objects = append(at.lines[i].objects, object)
}

// next removes the object whose turn it is from its line: one of the namespace with the fewest calls.
func (at *serverCalls) next() types.NamespacedName {
	first := 0
	for i := range at.lines {
		if at.running[at.lines[i].namespace] < at.running[at.lines[first].namespace] {
			first = i
		}
	}
	l := at.lines[first]
	object := l.objects[0]
	delete(at.waits, object)
	at.lines = slices.Delete(at.lines, first, first+1)
	if l.objects = l.objects[1:]; len(l.objects) > 0 {
		at.lines = append(at.lines, l)
	}
	return object
}

func (at *serverCalls) take(namespace string) {
	at.calls++
	at.running[namespace]++
}

// free ends a call of a namespace, and puts the objects whose turn it is into the queue. Their slots are taken at once, so that no others get
// there first.
func (l *limiter) free(server types.NamespacedName, namespace string) {
	at := l.servers[server]
	at.calls--
	if at.running[namespace]--; at.running[namespace] == 0 {
		delete(at.running, namespace)
	}
	for at.calls < slots && len(at.lines) > 0 {
		object := at.next()
		l.turns[object] = server
		at.take(object.Namespace)
		l.enqueue(object)
	}
	if at.calls == 0 && at.outages == 0 {
		delete(l.servers, server)
	}
}

// leave ends a call for an object; blocking is the error, or nil. responded reports whether the server responded: an error of another origin,
// such as a Secret, says nothing about it, and doesn't end an outage.
func (l *limiter) leave(server, object types.NamespacedName, responded bool, blocking *blocked) {
	l.mu.Lock()
	defer l.mu.Unlock()
	at := l.servers[server]
	at.isolated = false
	switch now := l.clock.Now(); {
	case blocking != nil && blocking.outage:
		if !at.until.After(now) { // concurrent calls that failed together count as one outage
			at.until = now.Add(min(firstPause<<min(at.outages, 10), lastPause))
			at.outages++
			at.cause = blocking
		}
	case responded:
		at.outages = 0
	}
	l.free(server, object.Namespace)
}

// pass ends a pass over an object. If it was the object's turn, and it hasn't called the server, since it was deleted meanwhile or the server
// has failed, it is the next one's.
func (l *limiter) pass(object types.NamespacedName) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if server, turn := l.turns[object]; turn {
		delete(l.turns, object)
		l.free(server, object.Namespace)
	}
}

// spread returns a random duration from d to d+more.
func spread(d, more time.Duration) time.Duration {
	return d + rand.N(more+1) //nolint:gosec // jitter, not a secret
}
