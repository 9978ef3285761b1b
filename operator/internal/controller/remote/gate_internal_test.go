package remote

import (
	"container/heap"
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
	g, server := newGates(clock), types.NamespacedName{Namespace: "chat", Name: "main"}
	call := func(responded bool, blocking *blocked) {
		t.Helper()
		if wait, _ := g.enter(server, "eng"); wait > 0 {
			t.Fatalf("a call has to wait for %v", wait)
		}
		g.leave(server, "eng", 0, responded, blocking)
	}
	outages := func(want int) {
		t.Helper()
		got := 0
		if at := g.gates[server]; at != nil {
			got = at.outages
		}
		if got != want {
			t.Errorf("%d outages in a row, want %d", got, want)
		}
	}
	for n := range 3 {
		call(false, &blocked{outage: true})
		outages(n + 1)
		if wait, cause := g.enter(server, "eng"); wait <= 0 || cause == nil {
			t.Errorf("after an outage the next call waits for %v, because of %v", wait, cause)
		}
		clock.SetTime(clock.Now().Add(lastPause))
		call(false, &blocked{}) // of a Secret
		call(false, nil)        // of Kubernetes
		outages(n + 1)
	}
	call(true, &blocked{}) // the server refuses
	if len(g.gates) != 0 {
		t.Errorf("the outage isn't over: %+v", g.gates[server])
	}
}

// Objects that wait for a slot come back one after another: otherwise, workers without a call would do nothing but put
// them back.
func TestManyThatWaitForASlotComeBackOneAfterAnother(t *testing.T) {
	t.Parallel()
	clock := clocktesting.NewFakePassiveClock(time.Now())
	g, server := newGates(clock), types.NamespacedName{Namespace: "chat", Name: "main"}
	wait := func() time.Duration {
		t.Helper()
		wait, cause := g.enter(server, "eng")
		if cause != nil {
			t.Fatalf("there is no outage, but %v", cause)
		}
		return wait
	}
	for range slots {
		if got := wait(); got != 0 {
			t.Fatalf("a slot is free, but the call has to wait for %v", got)
		}
	}
	if got := wait(); got > queuePause {
		t.Errorf("the only one that waits is asked to wait for %v", got)
	}
	soon := 0
	for range 10_000 {
		got := wait()
		if got <= 2*queuePause {
			soon++
		}
		if got > lastPause {
			t.Fatalf("one has to wait for %v", got)
		}
	}
	if soon > 500 {
		t.Errorf("%d of 10000 come back within %v", soon, 2*queuePause)
	}
	clock.SetTime(clock.Now().Add(lastPause))
	if got := wait(); got > queuePause {
		t.Errorf("when all others have come back, one has to wait for %v", got)
	}
}

// A namespace with thousands of changed objects delays one of another by a few calls, and workers do little but call the server.
func TestManyInOneNamespaceDontDelayAnother(t *testing.T) {
	t.Parallel()
	const many, took = 2000, 100 * time.Millisecond
	start := time.Now()
	clock := clocktesting.NewFakePassiveClock(start)
	g, server := newGates(clock), types.NamespacedName{Namespace: "chat", Name: "main"}
	next := &agenda{}
	for range many {
		heap.Push(next, visit{at: start, changed: start, namespace: "busy"})
	}
	for second := range 30 {
		at := start.Add(time.Duration(second) * time.Second)
		heap.Push(next, visit{at: at, changed: at, namespace: "other"})
	}
	passes, longest := 0, map[string]time.Duration{} // from a change until it is made, by namespace
	for next.Len() > 0 {
		v := heap.Pop(next).(visit) //nolint:forcetypeassert // there are no others
		clock.SetTime(v.at)
		if v.calls {
			g.leave(server, v.namespace, took, true, nil)
			longest[v.namespace] = max(longest[v.namespace], v.at.Sub(v.changed))
			continue
		}
		passes++
		wait, _ := g.enter(server, v.namespace)
		if wait == 0 {
			wait, v.calls = took, true
		}
		v.at = v.at.Add(wait)
		heap.Push(next, v)
	}
	if got := longest["other"]; got > time.Second {
		t.Errorf("the only change in a namespace waits for %v", got)
	}
	if got, least := longest["busy"], many*took/slots; got > least*5/4 {
		t.Errorf("%d changes take %v; the server could have made them in %v", many, got, least)
	}
	if passes > 5*many {
		t.Errorf("%d changes take %d passes", many, passes)
	}
}

// visit is when an object that was changed asks for a slot, or when its call ends.
type visit struct {
	at, changed time.Time
	namespace   string
	calls       bool
}

// agenda is a heap of visits, the next one first.
type agenda []visit

func (a agenda) Len() int           { return len(a) }
func (a agenda) Less(i, j int) bool { return a[i].at.Before(a[j].at) }
func (a agenda) Swap(i, j int)      { a[i], a[j] = a[j], a[i] }

// Push implements heap.Interface.
func (a *agenda) Push(v any) { *a = append(*a, v.(visit)) } //nolint:forcetypeassert // there are no others

// Pop implements heap.Interface.
func (a *agenda) Pop() any {
	last := (*a)[len(*a)-1]
	*a = (*a)[:len(*a)-1]
	return last
}
