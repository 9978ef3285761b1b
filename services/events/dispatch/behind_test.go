package dispatch_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"chatserver.dev/pkg/queue"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/testbed"
)

// A process may end before or after any call, with organizations behind. The next one continues without losing or
// repeating events.
func TestCrashesWithOrganizationsBehind(t *testing.T) {
	testbed.Slow(t)
	t.Parallel()
	w := open(t)
	parties := []*party{w.party(0, 300), w.party(1, 40), w.party(2, 60), w.party(3, 1)}
	for range 4 {
		for _, p := range parties {
			p.mix(8)
		}
		parties[0].emit(4)
		parties[3].emit(1)
	}
	end, finished := w.last(), false
	die, left, behind, within := context.CancelFunc(nil), 0, 0, 0
	check := func(int64) {
		if left--; left <= 0 {
			die()
		}
	}
	w.client.AddHook(&hook{onDispatch: onDispatch{before: check, after: func(call int64) {
		check(call)
		cursor := w.cursor()
		if len(cursor.Behind) > 0 {
			behind++
			if slices.ContainsFunc(cursor.Behind, func(b queue.Behind) bool { return b.Through > 0 }) {
				within++
			}
		} else if cursor.Through == 0 && !cursor.Before(end) {
			finished = true
			die()
		}
	}}})
	for start := time.Now(); !finished; {
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		die, left = cancel, 1+rand.IntN(6)
		_ = w.dispatcher("one").Dispatch(ctx, shard)
		cancel()
		if time.Since(start) > 60*time.Second {
			t.Fatalf("cursor %v, end of the log %v", w.cursor(), end)
		}
	}
	if behind < 10 || within == 0 {
		t.Errorf("organizations were behind after %d calls, within an event after %d", behind, within)
	}
	parties[0].checkDelivered("large", 0, 1, 100, 250, 298, 299)
	for _, p := range parties[1:] {
		p.checkDelivered("other")
	}
}

// Events that Redis lost are dispatched again, also those of organizations that were behind.
func TestRedisLosesWritesOfOrganizationsBehind(t *testing.T) {
	testbed.Slow(t)
	t.Parallel()
	w := open(t)
	large, small := w.party(0, 300), w.party(1, 2)
	large.mix(300)
	small.mix(20)
	kept := map[string]string{}
	w.after(func(call int64) {
		if len(kept) > 0 || call < 20 || len(w.cursor().Behind) == 0 {
			return
		}
		for _, name := range append(large.queues, small.queues...) {
			kept["{s3}:queue:"+name] = ""
		}
		kept["{s3}:cursor"] = ""
		for key := range kept {
			kept[key] = w.client.Dump(t.Context(), key).Val()
		}
	})
	d := w.dispatcher("one")
	stop := w.start(d)
	w.settle(d)
	stop()
	if len(kept) == 0 {
		t.Fatal("no organization was behind")
	}
	large.checkDelivered("before", 0, 299)
	w.start(d)
	pipe := w.client.TxPipeline() // at once: they are together in Redis' files, too
	for key, value := range kept {
		pipe.RestoreReplace(t.Context(), key, 0, value)
	}
	_, err := pipe.Exec(t.Context())
	w.must(err)
	w.settle() // without a sign that there is news
	large.checkDelivered("again", 0, 1, 150, 299)
	small.checkDelivered("again")
}

// The events of an organization without queues don't delay others, either. A queue that is registered among them gets
// all later events.
func TestEventsForNobody(t *testing.T) {
	t.Parallel()
	w := open(t)
	silent, one, two := w.party(0, 0), w.party(1, 1), w.party(2, 1)
	w.super.Exec(`insert into users (org_id, user_id, email, full_name, role, active) values ($1, 1, 'x@x', 'x', 400, true)`, int64(silent.org))
	silent.emit(1200)
	one.emit(1)
	two.emit(1)
	w.last()
	late, calls := "", int64(0)
	w.after(func(call int64) {
		if calls = call; late == "" && len(w.cursor().Behind) > 0 {
			late = silent.register(0)
			silent.emit(3)
		}
	})
	d := w.dispatcher("one")
	stop := w.start(d)
	w.settle(d)
	stop()
	one.checkDelivered("another")
	two.checkDelivered("another")
	got := w.got(late)
	if len(got) < 3 || !slices.Equal(got[len(got)-3:], []int{1203, 1204, 1205}) {
		t.Errorf("the late queue has %v", got)
	}
	for i := 1; i < len(got); i++ {
		if got[i] <= got[i-1] {
			t.Errorf("the late queue has %d after %d", got[i], got[i-1])
		}
	}
	if calls > 20 {
		t.Errorf("%d calls", calls)
	}
}

// A queue that is registered while its organization is behind, during the dispatch of an event, also gets that event.
func TestRegisterWhileBehind(t *testing.T) {
	testbed.Slow(t)
	t.Parallel()
	w := open(t)
	large, small := w.party(0, 700), w.party(1, 1)
	large.emit(6)
	small.emit(1)
	late, from := "", store.Position{}
	w.after(func(int64) {
		if behind := w.cursor().Behind; late == "" && len(behind) > 0 && behind[0].Through > 0 {
			late, from = large.register(7), behind[0].Position
		}
	})
	d := w.dispatcher("one")
	stop := w.start(d)
	w.settle(d)
	stop()
	small.checkDelivered("small")
	large.checkDelivered("large", 0, 7, 699)
	w.last()
	entries, err := w.db.Log().ReadOf(t.Context(), large.org, store.Position{}, from, 10)
	w.must(err)
	if len(entries) == 0 {
		t.Fatal("no queue was registered within an event")
	}
	w.has("late", late, large.want[7][len(entries)-1:]...)
}

// If an event of an organization that is behind can't be delivered, it is put aside without an effect on other
// organizations.
func TestUndeliverableEventBehind(t *testing.T) {
	t.Parallel()
	w := open(t)
	large, small := w.party(0, 300), w.party(1, 2)
	large.emit(30)
	small.emit(1)
	w.super.Exec(`update event_log set payload = '{"type":"note","n":' where payload like '%"n":20}'`)
	d, log, aside := w.talking()
	put := atomic.Bool{}
	w.after(func(int64) {
		if !put.Load() && !w.alive(large.queues[0]) {
			put.Store(true)
			small.emit(1)
		}
	})
	stop := w.start(d)
	w.settle(d)
	stop()
	small.checkDelivered("small")
	if got := log.errors(); len(got) != 1 || aside.Load() != 1 || !put.Load() {
		t.Errorf("%d events put aside, logged: %q", aside.Load(), got)
	}
	again := large.register(0)
	large.emit(1)
	w.start(d)
	w.settle(d)
	w.has("registered again", again, w.sent)
}

// An organization that catches up while the main line delivers a batch, which was read without its events, gets all of them.
func TestCatchesUpWithinABatch(t *testing.T) {
	t.Parallel()
	w := open(t)
	slow, wide := w.party(0, 3), w.party(1, queue.MaxAppends+100)
	loaded := atomic.Bool{}
	w.after(func(int64) {
		if c := w.cursor(); c.Through > 0 && len(c.Behind) > 0 && loaded.CompareAndSwap(false, true) {
			w.super.Exec("rollback")
			time.Sleep(100 * time.Millisecond) // until the roster is read
		}
	})
	d := w.dispatcher("one")
	wide.emit(1)
	w.start(d)
	w.settle(d)
	w.super.Exec("begin")
	w.super.Exec("lock table subscriptions in access exclusive mode")
	slow.emit(1)
	for len(w.cursor().Behind) == 0 {
		d.LogNews(shard)
	}
	wide.emit(1)
	slow.emit(1)
	w.settle(d)
	if !loaded.Load() {
		t.Fatal("the organization wasn't behind during a batch")
	}
	slow.checkDelivered("slow")
	wide.checkDelivered("wide", 0, queue.MaxAppends, queue.MaxAppends+99)
}
