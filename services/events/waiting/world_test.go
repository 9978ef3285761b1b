package waiting_test

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"go.opentelemetry.io/otel/metric/noop"
	"go.uber.org/goleak"

	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/queue"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/pkg/testbed"
	"chatserver.dev/services/events/waiting"
)

// TestMain checks that no goroutines are left, except those of the servers and connections that all tests share.
func TestMain(m *testing.M) {
	shared := []goleak.Option{}
	for _, function := range []string{"os/exec.(*Cmd).Wait", "os.(*Process).Wait", "github.com/jackc/pgx/v5/pgxpool.(*Pool).backgroundHealthCheck"} {
		shared = append(shared, goleak.IgnoreAnyFunction(function))
	}
	goleak.VerifyTestMain(m, shared...)
}

// number is the shard that most tests use.
const number = 3

// world is a Redis with queues, and a log.
type world struct {
	t        *testing.T
	client   redis.UniversalClient
	redis    *queue.Redis
	db       *store.DB
	database string
	passed   atomic.Int64 // how much the rooms' clock is ahead
	version  int64
	cursor   queue.Cursor
}

func open(t *testing.T) *world {
	t.Helper()
	client, err := queue.Connect(queue.Config{URL: testbed.Redis(t)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() })
	w := &world{t: t, client: client, redis: queue.New(client), cursor: queue.Cursor{Incarnation: "db", Place: queue.Place{Position: store.Position{Xid: 100}}}}
	w.db, w.database = storetest.OpenURL(t)
	w.must(w.redis.StartCursor(t.Context(), number, w.cursor))
	return w
}

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// now returns the rooms' time.
func (w *world) now() time.Time { return time.Now().Add(time.Duration(w.passed.Load())) }

// room is a replica.
type room struct {
	*waiting.Room
	w        *world
	payloads *waiting.Payloads
}

// listener ignores news of the log and free leases, which concern only the dispatcher.
type listener struct {
	*waiting.Room

	subscribed func()
}

func (listener) LogNews(int)                {}
func (listener) LeaseFree(int)              {}
func (l listener) Reconnected(shards []int) { l.Room.Reconnected(shards); l.subscribed() }

// unsubscribed starts a replica that receives no wake-ups.
func (w *world) unsubscribed(replica string) room {
	w.t.Helper()
	r := w.room(replica)
	w.run(r.Run)
	return r
}

// room returns a replica that doesn't run.
func (w *world) room(replica string) room {
	w.t.Helper()
	payloads := waiting.NewPayloads(w.redis, w.db.Log())
	of, err := waiting.New(waiting.Deps{
		Redis: w.redis, Payloads: payloads, Shards: storetest.Shards, Replica: replica, Meter: noop.Meter{}, Now: w.now, Logger: testbed.Logger(w.t),
	})
	w.must(err)
	return room{of, w, payloads}
}

// replica starts a complete replica, and waits until it is subscribed. On subscribing, it calls Redis for every poll,
// which would take back a queue that another replica has taken over meanwhile.
func (w *world) replica(name string) room {
	w.t.Helper()
	r, subscribed := w.unsubscribed(name), make(chan struct{})
	l := listener{r.Room, sync.OnceFunc(func() { close(subscribed) })}
	w.run(func(ctx context.Context) error {
		return w.redis.Listen(ctx, storetest.Shards, l, testbed.Logger(w.t))
	})
	select {
	case <-subscribed:
	case <-time.After(time.Minute):
		w.t.Fatal("no subscription")
	}
	return r
}

// run runs a function until the test ends.
func (w *world) run(work func(ctx context.Context) error) {
	w.t.Helper()
	ctx, cancel := context.WithCancel(w.t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := work(ctx); err != nil {
			w.t.Errorf("run: %v", err)
		}
	}()
	w.t.Cleanup(func() { cancel(); <-done })
}

// register creates a queue whose client got its state in a snapshot; "": one that contains no event.
func (w *world) register(snapshot string) string {
	w.t.Helper()
	return w.registerIn(1, snapshot)
}

// registerIn is register for an organization.
func (w *world) registerIn(org id.Org, snapshot string) string {
	w.t.Helper()
	name := queue.NewID(number)
	w.must(w.redis.Register(w.t.Context(), number, name, queue.Descriptor{Org: org, User: 2, Lifetime: 60}, queue.Quota{}))
	w.must(w.redis.SetSnapshot(w.t.Context(), number, name, cmp.Or(snapshot, "1:1:")))
	_, version, err := w.redis.Registry(w.t.Context(), number)
	w.must(err)
	w.version = version
	return name
}

// dispatch appends an event of a transaction to queues.
func (w *world) dispatch(xid uint64, queues ...string) store.Position {
	w.t.Helper()
	to := w.cursor
	to.Xid, to.ID = xid, w.cursor.ID+1
	outcome, _, err := w.redis.Dispatch(w.t.Context(), number, w.cursor, to, w.version, []queue.Append{
		{Event: to.Position, Payload: []byte(`{"type":"test"}`), Queues: queues},
	})
	w.must(err)
	if outcome != queue.Done {
		w.t.Fatalf("dispatch: outcome %d", outcome)
	}
	w.cursor = to
	return to.Position
}

func (r room) find(name string) *waiting.Queue {
	r.w.t.Helper()
	q, err := r.Find(r.w.t.Context(), name)
	r.w.must(err)
	if q == nil {
		r.w.t.Fatal("there is no such queue")
	}
	return q
}

// poll starts a poll and returns the channel of its answer.
func (r room) poll(name string, acknowledged int64) chan waiting.Answer {
	r.w.t.Helper()
	q, answer := r.find(name), make(chan waiting.Answer, 1)
	go func() { answer <- r.Wait(r.w.t.Context(), q, acknowledged, false) }()
	return answer
}

// Wait polls and waits for the answer.
func (r room) Wait(ctx context.Context, q *waiting.Queue, acknowledged int64, immediate bool) waiting.Answer {
	return r.Join(q, acknowledged, immediate).Answer(ctx)
}

// parked waits until a number of polls wait, and Redis has been called for all of them.
func (r room) parked(polls int) {
	r.w.t.Helper()
	testbed.Until(r.w.t, fmt.Sprintf("%d polls wait", polls), func() bool { return r.Waiting() == polls })
}

func (w *world) answer(from chan waiting.Answer) waiting.Answer {
	w.t.Helper()
	select {
	case a := <-from:
		return a
	case <-time.After(time.Minute):
		w.t.Fatal("no answer")
		return waiting.Answer{}
	}
}

// numbers returns the numbers of the events.
func numbers(a waiting.Answer) []int64 {
	all := []int64(nil)
	for _, d := range a.Events {
		all = append(all, d.Number)
	}
	return all
}

// farAway is a transaction that no snapshot of these tests contains.
const farAway = math.MaxInt32
