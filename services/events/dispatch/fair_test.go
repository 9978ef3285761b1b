package dispatch_test

import (
	"context"
	"testing"
	"time"

	"chatserver.dev/pkg/testbed"
)

// A large organization's events don't delay later events of a small one, and arrive once and in order. The lag is that
// of the organization that waits longest.
func TestLargeOrganizationHoldsUpNobody(t *testing.T) {
	testbed.Slow(t)
	t.Parallel()
	w := open(t)
	large, small := w.party(0, 100), w.party(1, 2)
	large.emit(200)
	large.emitToOne(5000)
	small.emit(1)
	w.last()
	d, calls, first := w.dispatcher("one"), int64(0), int64(0)
	w.after(func(call int64) {
		calls = call
		if first == 0 && w.length(small.queues[0]) > 1 {
			first = call
			small.emit(1) // while the other is behind
		}
		if len(w.cursor().Behind) > 0 && d.Lags()[shard] == 0 {
			t.Error("an organization is behind, but the lag is 0")
		}
	})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); _ = d.Run(ctx) }()
	t.Cleanup(func() { cancel(); <-done })
	w.settle(d)
	cancel()
	<-done
	large.checkDelivered("large", 0, 1, 50, 98, 99)
	small.checkDelivered("small")
	// Calls continue while the small organization's roster loads, so their number before it depends on the machine.
	if first == 0 || first > calls/2 || calls < 100 {
		t.Errorf("call %d of %d was the small organization's", first, calls)
	}
	if got := w.cursor(); len(got.Behind) > 0 {
		t.Errorf("cursor %v", got)
	}
}

// If more organizations are large than can be behind, some wait, and no queue misses an event.
func TestManyLargeOrganizations(t *testing.T) {
	testbed.Slow(t)
	t.Parallel()
	w := open(t)
	parties := []*party{}
	for i := range 20 {
		parties = append(parties, w.party(i, 40))
	}
	for _, p := range parties {
		p.emit(120)
	}
	w.last()
	limit := 0
	w.after(func(int64) { limit = max(limit, len(w.cursor().Behind)) })
	d := w.dispatcher("one")
	stop := w.start(d)
	w.settle(d)
	stop()
	if limit != 16 {
		t.Errorf("%d organizations were behind", limit)
	}
	for _, p := range parties {
		p.checkDelivered("one of many", 0, 20, 39)
	}
}

// An organization is never behind if no other organization of its shard has queues, since it delays no one.
func TestAloneInItsShard(t *testing.T) {
	t.Parallel()
	w := open(t)
	large, silent := w.party(0, 300), w.party(1, 0)
	for range 4 {
		large.emit(10)
		silent.emit(1)
	}
	w.last()
	calls := int64(0)
	w.after(func(call int64) {
		if calls = call; len(w.cursor().Behind) > 0 {
			t.Error("an organization is behind")
		}
	})
	d := w.dispatcher("one")
	stop := w.start(d)
	w.settle(d)
	stop()
	large.checkDelivered("alone", 0, 299)
	if calls > 4*10*2+4 {
		t.Errorf("%d calls", calls)
	}
}

// An organization whose large roster takes long to read doesn't delay the others of its shard.
func TestSlowRosterHoldsUpNobody(t *testing.T) {
	t.Parallel()
	w := open(t)
	large, small := w.party(0, 3), w.party(1, 2)
	d := w.dispatcher("one")
	small.emit(1)
	w.start(d)
	w.settle(d)
	w.super.Exec("begin")
	w.super.Exec("lock table subscriptions in access exclusive mode")
	for range 2 {
		large.emit(2)
		small.emit(2)
		for started := time.Now(); w.length(small.queues[0]) < int64(1+len(small.want[0])); time.Sleep(time.Millisecond) {
			if d.LogNews(shard); time.Since(started) > 20*time.Second {
				t.Fatal("the small organization waits")
			}
		}
	}
	if got := w.length(large.queues[0]); got != 1 {
		t.Errorf("the large organization has %d entries without a roster", got)
	}
	w.super.Exec("rollback")
	w.settle(d)
	large.checkDelivered("large")
	small.checkDelivered("small")
}

// Organizations that are behind pause between their calls while another organization has events.
func TestThoseBehindRest(t *testing.T) {
	testbed.Slow(t)
	t.Parallel()
	w := open(t)
	large, small := w.party(0, 200), w.party(1, 1)
	large.emit(150)
	small.emit(1)
	w.last()
	started, ended, busy, rested, calls := time.Time{}, time.Time{}, time.Duration(0), time.Duration(0), 0
	w.client.AddHook(&hook{onDispatch: onDispatch{
		before: func(int64) {
			if started = time.Now(); calls > 0 {
				rested += started.Sub(ended)
			}
		},
		after: func(call int64) {
			took := time.Since(started)
			if len(w.cursor().Behind) > 0 {
				calls++
				busy += min(took, 10*time.Millisecond) // longer ones don't have longer rests
			}
			if call%4 == 0 && calls < 100 {
				small.emit(1)
			}
			ended = time.Now()
		},
	}})
	d := w.dispatcher("one")
	stop := w.start(d)
	w.settle(d)
	stop()
	large.checkDelivered("large", 0, 199)
	small.checkDelivered("small")
	if calls < 50 || rested < busy {
		t.Errorf("%d calls took %v, with rests of %v", calls, busy, rested)
	}
}
