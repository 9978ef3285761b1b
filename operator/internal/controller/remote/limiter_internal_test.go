package remote

import (
	"errors"
	"slices"
	"strconv"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/types"
	clocktesting "k8s.io/utils/clock/testing"
)

// An object that fails before it calls the server, such as a bot with another's Secret, doesn't end the server's outage:
// otherwise the pauses between attempts would never grow.
func TestOnlyAResponseEndsAnOutage(t *testing.T) {
	t.Parallel()
	clock := clocktesting.NewFakePassiveClock(time.Now())
	g, server := newLimiter(clock), types.NamespacedName{Namespace: "chat", Name: "main"}
	call := func(responded bool, blocking *blocked) {
		t.Helper()
		if err := g.enter(server, nth("eng", 0)); err != nil {
			t.Fatalf("a call has to wait: %v", err)
		}
		g.leave(server, nth("eng", 0), responded, blocking)
	}
	outages := func(want int) {
		t.Helper()
		got := 0
		if at := g.servers[server]; at != nil {
			got = at.outages
		}
		if got != want {
			t.Errorf("%d outages in a row, want %d", got, want)
		}
	}
	for n := range 3 {
		call(false, &blocked{outage: true})
		outages(n + 1)
		if later, ok := errors.AsType[deferred](g.enter(server, nth("eng", 1))); !ok || later.wait <= 0 || later.cause == nil {
			t.Errorf("after an outage the next call waits for %v, because of %v", later.wait, later.cause)
		}
		clock.SetTime(clock.Now().Add(lastPause))
		call(false, &blocked{}) // of a Secret
		call(false, nil)        // of Kubernetes
		outages(n + 1)
	}
	call(true, &blocked{}) // the server refuses
	if len(g.servers) != 0 {
		t.Errorf("the outage isn't over: %+v", g.servers[server])
	}
}

// An object that waits for a slot is put into the queue when it is its turn, and not before.
func TestAnObjectThatWaitsForASlotIsQueuedOnce(t *testing.T) {
	t.Parallel()
	const many = 1000
	line := newLine()
	for n := range many {
		line.pass(nth("eng", n))
	}
	if len(line.calling) != slots || len(line.queue) != 0 {
		t.Fatalf("%d objects call the server and %d are in the queue, want %d and 0", len(line.calling), len(line.queue), slots)
	}
	for n := range slots { // such as after another change of the object
		line.pass(nth("eng", many-1-n))
	}
	for n := range many {
		if want := nth("eng", n); len(line.calling) == 0 || line.calling[0] != want {
			t.Fatalf("%v calls the server, want %s", line.calling, want)
		}
		line.respond()
	}
	if line.queued != many-slots {
		t.Errorf("%d objects were put into the queue, want %d", line.queued, many-slots)
	}
	line.wantIdle(t)
}

// An object that doesn't call the server when it is its turn, since it was deleted, leaves the slot to the
// next one.
func TestAnObjectThatNoLongerCallsLeavesItsTurn(t *testing.T) {
	t.Parallel()
	line := newLine()
	for n := range slots + 3 {
		line.pass(nth("eng", n))
	}
	line.gone = map[types.NamespacedName]bool{nth("eng", slots): true, nth("eng", slots+1): true}
	line.respond()
	if last := line.calling[len(line.calling)-1]; last != nth("eng", slots+2) {
		t.Errorf("%s calls the server, want %s", last, nth("eng", slots+2))
	}
	for range slots {
		line.respond()
	}
	line.wantIdle(t)
}

// When a server fails, those that wait for a slot learn why they wait.
func TestThoseInLineLearnOfAnOutage(t *testing.T) {
	t.Parallel()
	line := newLine()
	for n := range 100 {
		line.pass(nth("eng", n))
	}
	outage := &blocked{outage: true}
	line.end(false, outage)
	if got := len(line.refused); got != 100-slots {
		t.Errorf("%d objects learn of the outage, want %d", got, 100-slots)
	}
	for len(line.calling) > 0 {
		line.end(false, outage)
	}
	line.clock.SetTime(line.clock.Now().Add(lastPause))
	line.pass(nth("eng", 50))
	line.respond()
	line.wantIdle(t)
}

// A namespace with thousands of changed objects delays one of another by a few calls.
func TestManyInOneNamespaceDontDelayAnother(t *testing.T) {
	t.Parallel()
	line := newLine()
	for n := range 2000 {
		line.pass(nth("busy", n))
		line.pass(nth("busier", n))
	}
	for n := range 100 {
		one := nth("other", n)
		line.pass(one)
		for calls := 0; line.calling[len(line.calling)-1] != one; calls++ {
			if calls > slots {
				t.Fatalf("the only change in a namespace waits for %d calls", calls)
			}
			line.respond()
		}
		for slices.Contains(line.calling, one) {
			line.respond()
		}
	}
}

// waitingLine is a controller's queue, with a server that responds when the test says so.
type waitingLine struct {
	limiter *limiter
	clock   *clocktesting.FakePassiveClock
	server  types.NamespacedName
	calling []types.NamespacedName        // in order
	refused []types.NamespacedName        // because of an outage
	gone    map[types.NamespacedName]bool // objects that were deleted
	queue   []types.NamespacedName
	queued  int
}

func newLine() *waitingLine {
	clock := clocktesting.NewFakePassiveClock(time.Now())
	l := &waitingLine{limiter: newLimiter(clock), clock: clock, server: types.NamespacedName{Namespace: "chat", Name: "main"}}
	l.limiter.enqueue = func(object types.NamespacedName) {
		l.queue = append(l.queue, object)
		l.queued++
	}
	return l
}

// pass is a pass over an object, up to its call.
func (l *waitingLine) pass(object types.NamespacedName) {
	defer l.limiter.pass(object)
	if l.gone[object] {
		return
	}
	later := deferred{}
	switch err := l.limiter.enter(l.server, object); {
	case err == nil:
		l.calling = append(l.calling, object)
	case errors.As(err, &later) && later.cause != nil:
		l.refused = append(l.refused, object)
	}
}

// respond ends the first call, and makes passes over the objects in the queue.
func (l *waitingLine) respond() { l.end(true, nil) }

func (l *waitingLine) end(responded bool, blocking *blocked) {
	first := l.calling[0]
	l.calling = l.calling[1:]
	l.limiter.leave(l.server, first, responded, blocking)
	for len(l.queue) > 0 {
		object := l.queue[0]
		l.queue = l.queue[1:]
		l.pass(object)
	}
}

// wantIdle checks that nothing is left of a server that isn't called any more.
func (l *waitingLine) wantIdle(t *testing.T) {
	t.Helper()
	if len(l.calling) > 0 || len(l.limiter.servers) > 0 || len(l.limiter.turns) > 0 {
		t.Errorf("%d calls, %d servers and %d turns are left", len(l.calling), len(l.limiter.servers), len(l.limiter.turns))
	}
}

func nth(namespace string, n int) types.NamespacedName {
	return types.NamespacedName{Namespace: namespace, Name: strconv.Itoa(n)}
}
