package dispatch_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/queue"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/pkg/testbed"
	"chatserver.dev/services/events/dispatch"
)

// Audiences are those at the event's position in the log, wherever the dispatcher starts to read.
func TestRosterIsThatOfTheEvent(t *testing.T) {
	t.Parallel()
	const ann, bob id.User = 1, 2
	to := note{audience: event.Audience{Subscribers: boilers}}
	bobs := []event.Membership{{Stream: boilers, User: bob}}
	active, inactive := event.Account{Role: people()[member].Role, Active: true}, event.Account{Role: people()[member].Role}
	history := []note{
		joined(ann, bob), // 1
		{change: &event.Change{Subscribed: []event.Membership{{Stream: boilers, User: ann}, {Stream: boilers, User: bob}}}},
		to, // 3
		{audience: event.Audience{Users: []id.User{bob}}, change: &event.Change{Unsubscribed: bobs}}, // 4
		to, // 5
		{change: &event.Change{Subscribed: bobs}},
		to, // 7
		{audience: event.Audience{Everyone: true}, change: &event.Change{Accounts: []event.AccountChange{{User: bob, Before: &active, After: inactive}}}}, // 8
		to, // 9
	}
	for stops := range len(history) + 1 {
		t.Run(fmt.Sprintf("restarted after %d", stops), func(t *testing.T) {
			t.Parallel()
			w := open(t)
			annsQueue, bobsQueue := w.register(ann), w.register(bob)
			w.emit(history[:stops]...)
			first := w.dispatcher("one")
			stop := w.start(first)
			w.settle(first)
			stop()
			w.emit(history[stops:]...)
			second := w.dispatcher("two") // it finds what is still to be undone
			w.start(second)
			w.settle(second)
			w.has("ann", annsQueue, 3, 5, 7, 8, 9)
			w.has("bob", bobsQueue, 3, 4, 7, 8)
		})
	}
}

// A large fan-out takes several calls, and the process may end after any of them.
func TestLargeFanoutIsResumed(t *testing.T) {
	testbed.Slow(t)
	t.Parallel()
	w := open(t)
	names := []string{}
	for i := range 2*queue.MaxAppends + queue.MaxAppends/2 {
		names = append(names, w.register(id.User(1+i%7)))
	}
	everyone := note{audience: event.Audience{Everyone: true}}
	w.emit(joined(1, 2, 3, 4, 5, 6, 7), everyone, note{audience: event.Audience{Users: []id.User{2}}}, everyone)
	die := context.CancelFunc(nil)
	cut := map[queue.Place]bool{}
	h := &hook{onDispatch: onDispatch{after: func(int64) {
		if cursor, _, _ := w.redis.Cursor(t.Context(), shard); cursor.Through > 0 {
			cut[cursor.Place] = true
		}
		die() // with each call
	}}}
	w.client.AddHook(h)
	end := store.Position{}
	for by := time.Now().Add(time.Minute); time.Now().Before(by); {
		if _, settled, _ := w.settled(&end); settled {
			break
		}
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		die = cancel
		_ = w.dispatcher("one").Dispatch(ctx, shard)
		cancel()
	}
	if len(cut) != 4 {
		t.Errorf("calls ended within an event at %v", cut)
	}
	for i, name := range names {
		if want := []int{2, 4}; i%7 == 1 {
			w.has("queue", name, 2, 3, 4)
		} else {
			w.has("queue", name, want...)
		}
		if t.Failed() {
			break
		}
	}
}

// Events that a Redis has lost are dispatched again within about a second, even without new events.
func TestRedisLosesWrites(t *testing.T) {
	testbed.Slow(t)
	t.Parallel()
	w := open(t)
	name, toAll := w.register(1), note{audience: event.Audience{Everyone: true}}
	d := w.dispatcher("one")
	w.start(d)
	w.emit(joined(1), toAll)
	w.settle(d)
	keys, kept := []string{fmt.Sprintf("{s%d}:queue:%s", shard, name), fmt.Sprintf("{s%d}:cursor", shard)}, []string{}
	for _, key := range keys {
		kept = append(kept, w.client.Dump(t.Context(), key).Val())
	}
	w.emit(toAll, toAll)
	w.settle(d)
	w.has("before", name, 2, 3, 4)
	for i, key := range keys {
		w.must(w.client.RestoreReplace(t.Context(), key, 0, kept[i]).Err())
	}
	w.settle() // without a sign that there is news
	w.has("again", name, 2, 3, 4)
}

// A queue that is registered between the reading of an event and its dispatch gets the event, and one that is removed
// delays no others.
func TestRegistryChangesMeanwhile(t *testing.T) {
	t.Parallel()
	w := open(t)
	old, gone := w.register(1), w.register(1)
	late, other := "", ""
	w.client.AddHook(&hook{onDispatch: onDispatch{before: func(call int64) {
		if call == 1 {
			late, other = w.register(1), w.register(2)
			_, err := w.redis.Unregister(t.Context(), shard, gone)
			w.must(err)
		}
	}}})
	ones := note{audience: event.Audience{Users: []id.User{1}}}
	w.emit(joined(1), ones, joined(2), note{audience: event.Audience{Subscribers: boilers}, change: &event.Change{Subscribed: []event.Membership{{Stream: boilers, User: 1}}}},
		note{audience: event.Audience{Subscribers: boilers}}, ones)
	d := w.dispatcher("one")
	w.start(d)
	w.settle(d)
	w.has("old", old, 2, 5, 6) // 4 was applied, taken back, and applied again
	w.has("late", late, 2, 5, 6)
	w.has("another account's", other)
	w.has("gone", gone)
	// A queue of an organization that had none, registered in the middle of its history.
	for _, name := range []string{old, late, other} {
		_, err := w.redis.Unregister(t.Context(), shard, name)
		w.must(err)
	}
	w.emit(ones)
	w.settle(d)
	last := w.register(1)
	w.emit(note{audience: event.Audience{Subscribers: boilers}})
	w.settle(d)
	w.has("last", last, 8)
}

// If two processes act as the dispatcher of a shard, each event is delivered once, in order.
func TestTwoDispatchers(t *testing.T) {
	t.Parallel()
	w := open(t)
	names := []string{w.register(1), w.register(2), w.register(1)}
	one, two := w.dispatcher("one"), w.dispatcher("two")
	w.start(one)
	w.start(two)
	want := [3][]int{}
	w.emit(joined(1, 2))
	for i := range 300 {
		to := id.User(1 + i%2)
		w.emit(note{audience: event.Audience{Users: []id.User{to}}})
		if to == 1 {
			want[0] = append(want[0], w.sent)
			want[2] = append(want[2], w.sent)
		} else {
			want[1] = append(want[1], w.sent)
		}
		one.LogNews(shard)
		two.LogNews(shard)
	}
	w.settle(one, two)
	for i, name := range names {
		w.has(fmt.Sprint("queue ", i), name, want[i]...)
	}
}

// If the database has another history, or an older state, the queues are dropped, so that clients register again.
func TestOtherHistory(t *testing.T) {
	t.Parallel()
	w := open(t)
	current, _, err := w.redis.Cursor(t.Context(), shard)
	w.must(err)
	ahead := current
	ahead.Xid += 100_000 // more than tests that run at the same time use up
	for title, stored := range map[string]queue.Cursor{
		"incarnation": {Incarnation: "another", Place: current.Place}, "cursor ahead of the log": ahead,
	} {
		name := w.register(1)
		w.super.Exec(`insert into event_log (shard, xid, org_id, type, payload, audience) values ($1, '9000000000', $2, 'note', '{"n":0}', '{}')`, shard, int64(org))
		w.must(w.client.Set(t.Context(), "{s3}:cursor", stored.String(), 0).Err())
		started, err := dispatch.Start(t.Context(), w.db.Log(), w.redis, shard)
		w.must(err)
		if started.Incarnation != current.Incarnation || started.Xid < current.Xid || started.Xid > current.Xid+1000 {
			t.Errorf("%s: starts at %v, was %v", title, started, current)
		}
		if live, err := w.redis.Lengths(t.Context(), shard, []string{name}); err != nil || live[0] > 0 {
			t.Errorf("%s: the queue lives: %v, %v", title, live, err)
		}
		left := storetest.Values[int64](w.super, "delete from event_log where xid = '9000000000' returning id")
		if stays := title != "incarnation"; len(left) > 0 != stays {
			t.Errorf("%s: events of another history are left: %t", title, !stays)
		}
	}
	name := w.register(1)
	again, err := dispatch.Start(t.Context(), w.db.Log(), w.redis, shard)
	w.must(err)
	if live, err := w.redis.Lengths(t.Context(), shard, []string{name}); err != nil || live[0] == 0 {
		t.Errorf("a start like any other (at %v) dropped the queue: %v", again, err)
	}
}

func TestSweep(t *testing.T) {
	t.Parallel()
	w := open(t)
	live, expired := w.register(1), w.register(1)
	w.must(w.client.Del(t.Context(), "{s3}:queue:"+expired).Err())
	w.must(w.dispatcher("one").Sweep(t.Context(), shard))
	queues, _, err := w.redis.Registry(t.Context(), shard)
	w.must(err)
	if len(queues) != 1 || queues[0].ID != live {
		t.Errorf("registry %v", queues)
	}
	// The dispatcher also finds an event without a wake-up.
	second := w.register(1)
	w.must(w.client.Del(t.Context(), "{s3}:queue:"+second).Err())
	d := w.dispatcher("one")
	w.start(d)
	w.emit(joined(1), note{audience: event.Audience{Everyone: true}}, note{audience: event.Audience{Everyone: true}})
	w.settle(d)
	w.emit(note{audience: event.Audience{Everyone: true}})
	w.settle(d)
	w.has("live", live, 2, 3, 4)
	if queues, _, _ := w.redis.Registry(t.Context(), shard); len(queues) != 1 {
		t.Errorf("registry %v", queues)
	}
}

// Expired queues are looked for every minute, even on a shard that always has news, and after interruptions.
func TestSweepOfBusyShard(t *testing.T) {
	t.Parallel()
	w := open(t)
	ahead := atomic.Int64{}
	d := w.dispatcherAt("one", func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) })
	w.emit(joined(1))
	w.register(1)
	expired := w.register(1)
	w.must(w.client.Del(t.Context(), "{s3}:queue:"+expired).Err())
	stop := w.start(d)
	w.settle(d)
	stop()
	ahead.Store(int64(time.Minute))
	w.start(d)
	for deadline := time.Now().Add(time.Minute); ; {
		d.LogNews(shard)
		queues, _, err := w.redis.Registry(t.Context(), shard)
		w.must(err)
		if len(queues) == 1 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d queues are registered", len(queues))
		}
	}
}

// Events that an open transaction holds back aren't read again and again until it ends.
func TestHeldBackEventsAreRead(t *testing.T) {
	testbed.Slow(t)
	t.Parallel()
	w := open(t)
	w.emit(joined(1))
	name, d := w.register(1), w.dispatcher("one")
	w.start(d)
	w.settle(d)
	holder := storetest.Connect(t, w.url)
	holder.Exec("begin")
	holder.Exec("select pg_current_xact_id()")
	const events = 400
	want := []int{}
	for range events {
		w.emit(note{audience: event.Audience{Users: []id.User{1}}})
		want = append(want, w.sent)
	}
	read := func() int { // as of the last report of the connections, within a second
		return storetest.Values[int](w.super, "select coalesce(sum(idx_tup_fetch), 0)::integer from pg_stat_user_tables where relname like 'event\\_log%'")[0]
	}
	time.Sleep(2 * time.Second)
	before := read()
	time.Sleep(2 * time.Second)
	if rows := read() - before; rows > 10*events {
		t.Errorf("%d rows were read in two seconds, while %d are held back", rows, events)
	}
	holder.Exec("rollback")
	w.settle(d)
	w.has("afterwards", name, want...)
}

// Rosters that take long to read delay their organizations alone: others' events are read and delivered meanwhile.
func TestSlowRosters(t *testing.T) {
	t.Parallel()
	w := open(t)
	quick, slow := w.party(0, 1), []*party{}
	for i := range 6 {
		slow = append(slow, w.party(1+i, 1))
	}
	d := w.dispatcher("one")
	w.start(d)
	quick.emit(1)
	w.settle(d)
	const lock = 1
	w.super.Exec(fmt.Sprintf(`create policy slow on users as restrictive for select to chatserver_everywhere
		using (case when org_id > %d then (select true from pg_advisory_xact_lock_shared(%d)) else true end)`, quick.org, lock))
	w.super.Exec("select pg_advisory_lock($1)", lock)
	for _, p := range slow {
		p.emit(1)
	}
	d.LogNews(shard)
	w.super.AwaitBlocked(dispatch.MaxReads)
	quick.emit(1)
	testbed.Until(t, "an organization has its event while the rosters of others are read", func() bool {
		d.LogNews(shard)
		return len(w.got(quick.queues[0])) == 2
	})
	w.super.AwaitBlocked(dispatch.MaxReads)
	w.super.Exec("select pg_advisory_unlock($1)", lock)
	w.super.Exec("drop policy slow on users")
	w.settle(d)
	for _, p := range slow {
		p.checkDelivered("slow")
	}
}
