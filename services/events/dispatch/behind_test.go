package dispatch_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/queue"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/testbed"
	"chatserver.dev/services/events/dispatch"
)

// party is an organization of the tests' shard, with a queue for each of its accounts.
type party struct {
	*world
	org     id.Org
	queues  []string
	members []bool // who is subscribed to boilers
	want    [][]int
}

// party creates the organization number i of the shard.
func (w *world) party(i, accounts int) *party {
	w.t.Helper()
	p := &party{world: w, org: org + id.Org(i*w.db.Shards()), members: make([]bool, accounts), want: make([][]int, accounts)}
	w.super.Exec(`insert into users (org_id, user_id, email, full_name, role, active) select $1, n, n || '@x', n || '', 400, true from generate_series(1, $2::int) n`,
		int64(p.org), accounts)
	for account := range accounts {
		p.queues = append(p.queues, p.register(account))
	}
	return p
}

func (p *party) register(account int) string {
	name := queue.NewID(shard)
	p.must(p.redis.Register(p.t.Context(), shard, name, queue.Descriptor{Org: p.org, User: id.User(account + 1), Lifetime: 600}, queue.Quota{}))
	return name
}

// emit records a number of events for all accounts in one transaction.
func (p *party) emit(events int) { p.emitTo(len(p.queues), events, event.Audience{Everyone: true}) }

// emitToOne records a number of events only for the first account.
func (p *party) emitToOne(events int) { p.emitTo(1, events, event.Audience{Users: []id.User{1}}) }

func (p *party) emitTo(accounts, events int, audience event.Audience) {
	p.t.Helper()
	list := make([]event.Event, events)
	for i := range list {
		p.sent++
		list[i] = note{N: p.sent, audience: audience}
		for account := range accounts {
			p.want[account] = append(p.want[account], p.sent)
		}
	}
	p.record(list...)
}

func (p *party) record(list ...event.Event) {
	p.t.Helper()
	p.must(p.db.Write(p.t.Context(), p.org, func(tx *store.Tx) error { return tx.Emit(p.t.Context(), list...) }))
}

// mix records some random events: for one account, for everyone or for the subscribers of a stream. Some of them change
// the subscribers.
func (p *party) mix(events int) {
	p.t.Helper()
	list := make([]event.Event, events)
	for i := range list {
		p.sent++
		n, account := note{N: p.sent}, rand.IntN(len(p.queues))
		user := id.User(account + 1)
		receives := func(other int) bool { return p.members[other] }
		switch rand.IntN(4) {
		case 0:
			n.audience.Users = []id.User{user}
			receives = func(other int) bool { return other == account }
		case 1:
			n.audience.Everyone = true
			receives = func(int) bool { return true }
		case 2:
			n.audience.Subscribers = boilers
			who := []event.Membership{{Stream: boilers, User: user}}
			if n.change = (&event.Change{Subscribed: who}); p.members[account] {
				n.change = &event.Change{Unsubscribed: who}
			}
			p.super.Exec(`insert into subscriptions (org_id, stream_id, user_id, color, active) values ($1, $2, $3, '#000000', $4)
				on conflict (org_id, stream_id, user_id) do update set active = excluded.active`, int64(p.org), int64(boilers), int64(user), !p.members[account])
		default:
			n.audience.Subscribers = boilers
		}
		for other := range p.want {
			if receives(other) {
				p.want[other] = append(p.want[other], p.sent)
			}
		}
		if n.change != nil {
			p.members[account] = !p.members[account]
		}
		list[i] = n
	}
	p.record(list...)
}

// checkDelivered fails the test unless the queues of some accounts have each event once, in order.
func (p *party) checkDelivered(title string, accounts ...int) {
	p.t.Helper()
	if len(accounts) == 0 {
		for account := range p.queues {
			accounts = append(accounts, account)
		}
	}
	for _, account := range accounts {
		p.has(fmt.Sprintf("%s, organization %d, account %d", title, p.org, account), p.queues[account], p.want[account]...)
		if p.t.Failed() {
			return
		}
	}
}

func (w *world) cursor() queue.Cursor {
	cursor, _, err := w.redis.Cursor(w.t.Context(), shard)
	w.must(err)
	return cursor
}

func (w *world) length(name string) int64 {
	lengths, err := w.redis.Lengths(w.t.Context(), shard, []string{name})
	w.must(err)
	return lengths[0]
}

// after calls a function after each call that moves the cursor.
func (w *world) after(do func(call int64)) {
	w.client.AddHook(&hook{onDispatch: onDispatch{after: do}})
}

// A large organization's events don't delay later events of a small one, and arrive once and in order. The lag is that
// of the organization that waits longest.
func TestLargeOrganizationHoldsUpNobody(t *testing.T) {
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

// A process may end before or after any call, with organizations behind. The next one continues without losing or
// repeating events.
func TestCrashesWithOrganizationsBehind(t *testing.T) {
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

// last waits until the complete log can be read, and returns its end.
func (w *world) last() store.Position {
	w.t.Helper()
	last := store.Position{}
	for start := time.Now(); ; time.Sleep(2 * time.Millisecond) {
		if _, _, held := w.settled(&last); !held {
			return last
		}
		if time.Since(start) > 20*time.Second {
			w.t.Fatal("the log is held back")
		}
	}
}

// Events that Redis lost are dispatched again, also those of organizations that were behind.
func TestRedisLosesWritesOfOrganizationsBehind(t *testing.T) {
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

// If an event needs several calls of Redis, only the first one has its payload.
func TestPayloadIsSentOnce(t *testing.T) {
	t.Parallel()
	w := open(t)
	large := w.party(0, 700)
	large.emit(1)
	key := ""
	w.after(func(call int64) {
		if cursor := w.cursor(); cursor.Through > 0 && key == "" {
			key = fmt.Sprintf("{s%d}:event:%d.%d", shard, cursor.Xid, cursor.ID)
			w.must(w.client.SetArgs(t.Context(), key, "marked", redis.SetArgs{Mode: "XX"}).Err())
		}
	})
	d := w.dispatcher("one")
	stop := w.start(d)
	w.settle(d)
	stop()
	if got := w.client.Get(t.Context(), key).Val(); got != "marked" {
		t.Errorf("the payload at %q became %q", key, got)
	}
	lengths, err := w.redis.Lengths(t.Context(), shard, large.queues)
	w.must(err)
	for i, length := range lengths {
		if length != 2 {
			t.Errorf("queue %d has %d entries", i, length)
		}
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

// Organizations that are behind pause between their calls while another organization has events.
func TestThoseBehindRest(t *testing.T) {
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
