package remote

import (
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
		if wait, _ := g.enter(server); wait > 0 {
			t.Fatalf("a call has to wait for %v", wait)
		}
		g.leave(server, responded, blocking)
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
		if wait, cause := g.enter(server); wait <= 0 || cause == nil {
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
		wait, cause := g.enter(server)
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
