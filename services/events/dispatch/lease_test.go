package dispatch_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"chatserver.dev/pkg/storetest"
)

// leases counts the shards that replicas hold.
func (w *world) leases() map[string]int {
	held := map[string]int{}
	for number := range storetest.Shards {
		if holder := w.client.Get(w.t.Context(), fmt.Sprintf("{s%d}:lease", number)).Val(); holder != "" {
			held[holder]++
		}
	}
	return held
}

// awaits waits until the leases are spread like this.
func (w *world) awaits(want map[string]int, watch func(held map[string]int)) {
	w.t.Helper()
	for deadline := time.Now().Add(15 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		held := w.leases()
		watch(held)
		if diff := cmp.Diff(want, held); diff == "" {
			return
		} else if time.Now().After(deadline) {
			w.t.Fatalf("leases (-want +got):\n%s", diff)
		}
	}
}

// Replicas share the shards, without giving up more than they must, and take over what one leaves.
func TestLeases(t *testing.T) {
	t.Parallel()
	w := open(t)
	run := func(replica string) (stop func()) {
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() { defer close(done); _ = w.dispatcher(replica).Run(ctx) }()
		stop = sync.OnceFunc(func() { cancel(); <-done })
		t.Cleanup(stop)
		return stop
	}
	nothing := func(map[string]int) {}
	stopOne := run("one")
	w.awaits(map[string]int{"one": 16}, nothing)
	stopTwo := run("two")
	w.awaits(map[string]int{"one": 8, "two": 8}, func(held map[string]int) {
		if held["one"] < 8 || held["two"] > 8 {
			t.Fatalf("on the way: %v", held)
		}
	})
	for range 150 { // and so it stays
		if held := w.leases(); held["one"] != 8 || held["two"] != 8 {
			t.Fatalf("later: %v", held)
		}
		time.Sleep(10 * time.Millisecond)
	}
	stopOne()
	w.awaits(map[string]int{"two": 16}, nothing)
	stopTwo()
	if held := w.leases(); len(held) != 0 {
		t.Errorf("after the end: %v", held)
	}
	if left := w.client.ZCard(t.Context(), "replicas").Val(); left != 0 {
		t.Errorf("%d replicas are still noted", left)
	}
}
