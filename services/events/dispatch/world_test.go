package dispatch_test

import (
	"context"
	"encoding/json"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/redis/go-redis/v9"
	"go.opentelemetry.io/otel/metric/noop"

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

// note is an event with only a number.
type note struct {
	N        int `json:"n"`
	audience event.Audience
	change   *event.Change
}

func (note) Kind() event.Kind           { return event.Kind{Type: "note"} }
func (n note) Audience() event.Audience { return n.audience }
func (n note) Change() *event.Change    { return n.change }

// world is a log and the queues to which it is dispatched.
type world struct {
	t      *testing.T
	client redis.UniversalClient
	redis  *queue.Redis
	db     *store.DB
	super  *storetest.Session
	url    string // of the database, for the superuser
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
	w.db, w.url, w.super = db, url, storetest.Connect(t, url)
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

// store applies a change to the tables. The dispatcher reads both tables and events, and may see the change before its
// event.
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

// joined returns an event with new accounts.
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
	w.must(w.redis.Register(w.t.Context(), shard, name, queue.Descriptor{Org: org, User: user, Lifetime: 600}, queue.Quota{}))
	return name
}

// dispatcher returns a new dispatcher with an empty cache.
func (w *world) dispatcher(replica string) *dispatch.Dispatcher {
	return w.dispatcherAt(replica, time.Now)
}

// dispatcherAt is dispatcher with a clock.
func (w *world) dispatcherAt(replica string, now func() time.Time) *dispatch.Dispatcher {
	d, err := dispatch.New(dispatch.Deps{
		Config: dispatch.Config{LogKeep: time.Hour}, Log: w.db.Log(), Shards: w.db.Shards(), Redis: w.redis,
		Payloads: waiting.NewPayloads(w.redis, w.db.Log()), Replica: replica, Meter: noop.Meter{}, Now: now, Logger: testbed.Logger(w.t),
	})
	w.must(err)
	return d
}

// start dispatches until the test ends or stop is called. It retries after errors.
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

// settle waits until all emitted events are dispatched.
func (w *world) settle(dispatchers ...*dispatch.Dispatcher) {
	w.t.Helper()
	last := store.Position{}
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(2 * time.Millisecond) {
		for _, d := range dispatchers {
			d.LogNews(shard)
		}
		cursor, settled, held := w.settled(&last)
		if settled {
			return
		}
		if held {
			deadline = time.Now().Add(time.Minute)
		}
		if time.Now().After(deadline) {
			w.t.Fatalf("cursor %v, end of the log %v", cursor, last)
		}
	}
}

// entries returns the log, which has so many events, as soon as none is held back by the transactions of other tests.
func (w *world) entries(events int) (entries []store.LogEntry) {
	w.t.Helper()
	testbed.Until(w.t, "no event is held back", func() bool {
		var err error
		entries, _, err = w.db.Log().Read(w.t.Context(), shard, store.Position{}, 100)
		w.must(err)
		return len(entries) == events
	})
	return entries
}

// settled reports whether all emitted events are dispatched, and returns the cursor. held means that an open transaction holds
// back events, which may be that of another test. It reads the log from last on, and sets last to the end of the log.
func (w *world) settled(last *store.Position) (cursor queue.Cursor, settled, held bool) {
	w.t.Helper()
	for full := true; full; {
		const limit = 1000
		entries, more, err := w.db.Log().Read(w.t.Context(), shard, *last, limit)
		w.must(err)
		if len(entries) > 0 {
			*last = entries[len(entries)-1].Position
		}
		full, held = store.IsFull(entries, limit), more
	}
	cursor, _, err := w.redis.Cursor(w.t.Context(), shard)
	w.must(err)
	return cursor, !held && cursor.Through == 0 && len(cursor.Behind) == 0 && !cursor.Before(*last), held
}

// got returns the events of a queue.
func (w *world) got(name string) []int {
	w.t.Helper()
	numbers := []int{}
	at := []store.Position{}
	for read, before := int64(queue.First), -1; len(at) > before; { // as much as a poll brings, again and again
		before = len(at)
		polled, err := w.redis.Poll(w.t.Context(), shard, "test", []queue.PollRequest{{Queue: name, Acknowledged: queue.First, Read: read, TTL: 600}})
		w.must(err)
		for _, e := range polled[0].Entries {
			at, read = append(at, e.Event), e.Number
		}
	}
	if len(at) == 0 {
		return numbers
	}
	payloads, err := w.redis.Payloads(w.t.Context(), shard, at)
	w.must(err)
	for _, position := range at {
		n := note{}
		w.must(json.Unmarshal(payloads[position], &n))
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

// onDispatch runs functions before and after each call that moves the cursor.
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
		if args := cmd.Args(); len(args) < 2 || args[1] != "chatserver2_dispatch" {
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
