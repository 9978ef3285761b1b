package dispatch_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/redis/go-redis/v9"

	"chatserver.dev/pkg/storetest"
	"chatserver.dev/pkg/testbed"
	"chatserver.dev/services/events/dispatch"
)

// leases counts the shards of each replica. late reports whether the renewal of a lease is overdue: each is valid for
// three seconds, and is renewed every second.
func (w *world) leases() (held map[string]int, late bool) {
	w.t.Helper()
	holders, lives := []*redis.StringCmd{}, []*redis.DurationCmd{}
	pipe := w.client.Pipeline()
	for number := range storetest.Shards {
		key := fmt.Sprintf("{s%d}:lease", number)
		holders, lives = append(holders, pipe.Get(w.t.Context(), key)), append(lives, pipe.PTTL(w.t.Context(), key))
	}
	_, _ = pipe.Exec(w.t.Context()) // it fails where nobody has a lease
	held = map[string]int{}
	for i, holder := range holders {
		if name := holder.Val(); name != "" {
			held[name]++
			late = late || lives[i].Val() < 1500*time.Millisecond
		}
	}
	return held, late
}

// awaits waits until the leases have been distributed as wanted for the time stay. Until then, allowed must always be
// true, and once distributed, the leases must stay so. If the machine is so busy that leases are renewed late, or that
// this test hardly runs, leases may expire; then awaits starts again.
func (w *world) awaits(want map[string]int, stay time.Duration, allowed func(held map[string]int) bool) {
	w.t.Helper()
	reached, disturbed, before := time.Time{}, time.Time{}, time.Now()
	for deadline := time.Now().Add(90 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		held, late := w.leases()
		now := time.Now()
		if late || now.Sub(before) > 500*time.Millisecond {
			disturbed = now
		}
		before = now
		calm := now.Sub(disturbed) > 5*time.Second
		diff := cmp.Diff(want, held)
		switch {
		case calm && !allowed(held):
			w.t.Fatalf("on the way to %v: %v", want, held)
		case calm && diff != "" && !reached.IsZero():
			w.t.Fatalf("they didn't stay (-want +got):\n%s", diff)
		case diff != "":
			reached = time.Time{}
		case reached.IsZero():
			reached = now
		case now.Sub(reached) >= stay:
			return
		}
		if now.After(deadline) {
			w.t.Fatalf("leases (-want +got):\n%s", diff)
		}
	}
}

func always(map[string]int) bool { return true }

// Replicas share the shards, give up no more than necessary, and take over the shards of a replica that ends.
func TestLeases(t *testing.T) {
	testbed.Slow(t)
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
	stopOne := run("one")
	const all, half = storetest.Shards, storetest.Shards / 2
	w.awaits(map[string]int{"one": all}, 0, always)
	stopTwo := run("two")
	w.awaits(map[string]int{"one": half, "two": half}, 1500*time.Millisecond, func(held map[string]int) bool {
		return held["one"] >= half && held["two"] <= half
	})
	stopOne()
	w.awaits(map[string]int{"two": all}, 0, always)
	stopTwo()
	if held, _ := w.leases(); len(held) != 0 {
		t.Errorf("after the end: %v", held)
	}
	if left := w.client.ZCard(t.Context(), "replicas").Val(); left != 0 {
		t.Errorf("%d replicas are still noted", left)
	}
}

// A dispatcher that can't read a shard's cursor leaves the shard to others.
func TestUnreadableCursor(t *testing.T) {
	testbed.Slow(t)
	t.Parallel()
	w := open(t)
	p := w.party(0, 1)
	kept := w.cursor()
	w.must(w.client.Set(t.Context(), "{s3}:cursor", kept.String()+" of another release", 0).Err())
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	d := w.dispatcher("one")
	go func() { defer close(done); _ = d.Run(ctx) }()
	t.Cleanup(func() { cancel(); <-done })
	took, gave := false, 0
	for start := time.Now(); gave < 3; time.Sleep(time.Millisecond) {
		has := w.client.Exists(t.Context(), "{s3}:lease").Val() > 0
		if took && !has {
			gave++
		}
		if took = has; time.Since(start) > 60*time.Second {
			t.Fatal("the dispatcher keeps the lease")
		}
	}
	if _, err := dispatch.Start(t.Context(), w.db.Log(), w.redis, shard); err == nil {
		t.Error("it is read")
	}
	w.must(w.client.Set(t.Context(), "{s3}:cursor", kept.String(), 0).Err())
	p.emit(1)
	w.settle(d)
	p.checkDelivered("at last")
}
