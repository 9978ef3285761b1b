package dispatch_test

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/redis/go-redis/v9"

	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/queue"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/pkg/testbed"
	"chatserver.dev/services/events/dispatch"
	"chatserver.dev/services/events/waiting"
)

// org is the organization of these tests, and shard its shard.
const (
	org   id.Org = 3
	shard int    = 3
)

// note is an event that says only which one it is.
type note struct {
	N        int `json:"n"`
	audience event.Audience
	change   *event.Change
}

func (note) EventType() string          { return "note" }
func (n note) Audience() event.Audience { return n.audience }
func (n note) Change() *event.Change    { return n.change }

// world is a log, and queues to bring it to.
type world struct {
	t      *testing.T
	client *redis.Client
	redis  *queue.Redis
	db     *store.DB
	super  *storetest.Session
	sent   int
}

func open(t *testing.T) *world {
	t.Helper()
	client, err := queue.Connect(queue.Config{URL: testbed.Redis(t)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() })
	w := &world{t: t, client: client, redis: queue.New(client)}
	db, url := storetest.OpenURL(t)
	w.db, w.super = db, storetest.Connect(t, url)
	w.super.Exec("set session_replication_role = replica") // nothing but what audiences are made of
	_, err = dispatch.Start(t.Context(), w.db.Log(), w.redis, shard)
	w.must(err)
	return w
}

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// emit records events, each in its own transaction, numbered from 1.
func (w *world) emit(notes ...note) {
	w.t.Helper()
	for _, n := range notes {
		w.sent++
		n.N = w.sent
		if n.change != nil {
			w.store(*n.change)
		}
		w.must(w.db.Write(w.t.Context(), org, func(tx *store.Tx) error { return tx.Emit(w.t.Context(), n) }))
	}
}

// store makes a change true. The dispatcher may learn of it before the event: it looks at both.
func (w *world) store(c event.Change) {
	w.t.Helper()
	for _, a := range c.Accounts {
		w.super.Exec(`insert into users (org_id, user_id, email, full_name, role, active) values ($1, $2, $2::bigint || '@x', $2::bigint || '', $3, $4)
			on conflict (org_id, user_id) do update set role = excluded.role, active = excluded.active`, int64(org), int64(a.User), int64(a.After.Role), a.After.Active)
	}
	for active, list := range map[bool][]event.Membership{true: c.Subscribed, false: c.Unsubscribed} {
		for _, m := range list {
			w.super.Exec(`insert into subscriptions (org_id, stream_id, user_id, color, active) values ($1, $2, $3, '#000000', $4)
				on conflict (org_id, stream_id, user_id) do update set active = excluded.active`, int64(org), int64(m.Stream), int64(m.User), active)
		}
	}
}

// joined tells that accounts are there.
func joined(users ...id.User) note {
	change := &event.Change{}
	for _, user := range users {
		change.Accounts = append(change.Accounts, event.AccountChange{User: user, After: event.Account{Role: people()[member].Role, Active: true}})
	}
	return note{change: change}
}

func (w *world) register(user id.User) string {
	w.t.Helper()
	name := queue.NewID(shard)
	w.must(w.redis.Register(w.t.Context(), shard, name, queue.Descriptor{Org: org, User: user, Lifetime: 600}))
	return name
}

// dispatcher makes one, which knows nothing yet.
func (w *world) dispatcher(replica string) *dispatch.Dispatcher {
	return dispatch.New(dispatch.Deps{
		Config: dispatch.Config{LogKeep: time.Hour}, Log: w.db.Log(), Shards: w.db.Shards(), Redis: w.redis,
		Fresh: waiting.NewPayloads(w.redis, w.db.Log()), Replica: replica, Now: time.Now, Logger: testbed.Logger(w.t),
	})
}

// start dispatches until the test or stop ends it; what interrupts it is tried again.
func (w *world) start(d *dispatch.Dispatcher) (stop func()) {
	ctx, cancel := context.WithCancel(w.t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		for ctx.Err() == nil {
			_ = d.Dispatch(ctx, shard)
		}
	}()
	stop = sync.OnceFunc(func() { cancel(); <-done })
	w.t.Cleanup(stop)
	return stop
}

// settle waits until all that was emitted is dispatched.
func (w *world) settle(dispatchers ...*dispatch.Dispatcher) {
	w.t.Helper()
	last := store.Position{}
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(2 * time.Millisecond) {
		for _, d := range dispatchers {
			d.LogNews(shard)
		}
		entries, more, err := w.db.Log().Read(w.t.Context(), shard, last, 100_000)
		w.must(err)
		if len(entries) > 0 {
			last = entries[len(entries)-1].Position
		}
		cursor, _, err := w.redis.Cursor(w.t.Context(), shard)
		w.must(err)
		if !more && cursor.Through == 0 && (cursor.Position == last || last == store.Position{}) {
			return
		}
		if time.Now().After(deadline) {
			w.t.Fatalf("cursor %v, end of the log %v", cursor, last)
		}
	}
}

// got gives which events a queue has.
func (w *world) got(name string) []int {
	w.t.Helper()
	numbers := []int{}
	polled, err := w.redis.Poll(w.t.Context(), shard, "test", []queue.Poll{{Queue: name, Acknowledged: queue.First, Read: queue.First, TTL: 600}})
	w.must(err)
	at := []store.Position{}
	for _, e := range polled[0].Entries {
		at = append(at, e.Event)
	}
	if len(at) == 0 {
		return numbers
	}
	payloads, err := w.redis.Payloads(w.t.Context(), shard, at)
	w.must(err)
	for _, payload := range payloads {
		n := note{}
		w.must(json.Unmarshal(payload, &n))
		numbers = append(numbers, n.N)
	}
	return numbers
}

func (w *world) has(title, name string, want ...int) {
	w.t.Helper()
	if diff := cmp.Diff(append([]int{}, want...), w.got(name)); diff != "" {
		w.t.Errorf("%s (-want +got):\n%s", title, diff)
	}
}

// onDispatch runs something before each call that moves the cursor, and after it.
type onDispatch struct{ before, after func(call int64) }

type hook struct {
	onDispatch
	calls atomic.Int64
}

func (h *hook) DialHook(next redis.DialHook) redis.DialHook { return next }
func (h *hook) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return next
}

func (h *hook) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		if args := cmd.Args(); len(args) < 2 || args[1] != "chatserver1_dispatch" {
			return next(ctx, cmd)
		}
		call := h.calls.Add(1)
		if h.before != nil {
			h.before(call)
		}
		err := next(ctx, cmd)
		if h.after != nil {
			h.after(call)
		}
		return err
	}
}

// Audiences are those of the event's place in the log, wherever the dispatcher starts to read.
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
		{change: &event.Change{Accounts: []event.AccountChange{{User: bob, Before: &inactive, After: active}}}},
		to, // 11
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
			w.has("ann", annsQueue, 3, 5, 7, 8, 9, 11)
			w.has("bob", bobsQueue, 3, 4, 7, 8, 11)
		})
	}
}

// A large fan-out takes several calls, and any of them may be the last one of a process.
func TestLargeFanoutIsResumed(t *testing.T) {
	t.Parallel()
	w := open(t)
	names := []string{}
	for i := range 2*queue.MaxAppends + 500 {
		names = append(names, w.register(id.User(1+i%7)))
	}
	everyone := note{audience: event.Audience{Everyone: true}}
	w.emit(joined(1, 2, 3, 4, 5, 6, 7), everyone, note{audience: event.Audience{Users: []id.User{2}}}, everyone)
	die := context.CancelFunc(nil)
	cut := map[queue.Cursor]bool{}
	h := &hook{onDispatch: onDispatch{after: func(int64) {
		if cursor, _, _ := w.redis.Cursor(t.Context(), shard); cursor.Through > 0 {
			cut[cursor] = true
		}
		die() // with each call
	}}}
	w.client.AddHook(h)
	for before := int64(-1); before < h.calls.Load(); { // until there is nothing left to do
		before = h.calls.Load()
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

// A queue that comes between the reading of an event and its dispatch gets it, and one that goes
// holds nothing up.
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
	// One whose organization had no queue at all, and comes in the middle of its history.
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

// Two processes that both believe to have the shard deliver each event once, in order.
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

// A database with another history, or an older state, drops the queues: clients register again.
func TestOtherHistory(t *testing.T) {
	t.Parallel()
	w := open(t)
	current, _, err := w.redis.Cursor(t.Context(), shard)
	w.must(err)
	ahead := current
	ahead.Xid += 1 << 30
	for title, stored := range map[string]queue.Cursor{
		"incarnation": {Incarnation: "another", Position: current.Position}, "cursor far ahead": ahead,
	} {
		name := w.register(1)
		w.must(w.client.Set(t.Context(), "{s3}:cursor", stored.String(), 0).Err())
		started, err := dispatch.Start(t.Context(), w.db.Log(), w.redis, shard)
		w.must(err)
		if started.Incarnation != current.Incarnation || started.Xid < current.Xid || started.Xid > current.Xid+1000 {
			t.Errorf("%s: starts at %v, was %v", title, started, current)
		}
		if live, err := w.redis.Lengths(t.Context(), shard, []string{name}); err != nil || live[0] > 0 {
			t.Errorf("%s: the queue lives: %v, %v", title, live, err)
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
	// The dispatcher comes upon one by itself, too.
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
