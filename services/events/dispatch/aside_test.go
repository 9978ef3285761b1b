package dispatch_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/redis/go-redis/v9"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/metric/noop"

	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/queue"
	"chatserver.dev/pkg/store"
	"chatserver.dev/services/events/dispatch"
	"chatserver.dev/services/events/waiting"
)

// lines is a log that can be read while it is written.
type lines struct {
	mutex sync.Mutex
	text  bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return l.text.Write(p)
}

// all returns all lines.
func (l *lines) all() string {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return l.text.String()
}

// errors returns the lines with errors.
func (l *lines) errors() (found []string) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	for line := range strings.Lines(l.text.String()) {
		if strings.Contains(line, "level=ERROR") {
			found = append(found, line)
		}
	}
	return found
}

// talking returns a dispatcher with its log and its count of events that were put aside.
func (w *world) talking() (*dispatch.Dispatcher, *lines, *atomic.Int64) {
	log, aside := &lines{}, &atomic.Int64{}
	d, err := dispatch.New(dispatch.Deps{
		Config: dispatch.Config{LogKeep: time.Hour}, Log: w.db.Log(), Shards: w.db.Shards(), Redis: w.redis,
		Payloads: waiting.NewPayloads(w.redis, w.db.Log()), Replica: "one", Now: time.Now, Logger: slog.New(slog.NewTextHandler(log, nil)),
		Meter: counting{aside: aside},
	})
	w.must(err)
	return d, log, aside
}

// counting is a meter whose counter can be read.
type counting struct {
	noop.Meter
	aside *atomic.Int64
}

func (c counting) Int64Counter(string, ...metric.Int64CounterOption) (metric.Int64Counter, error) {
	return counter{aside: c.aside}, nil
}

type counter struct {
	noop.Int64Counter
	aside *atomic.Int64
}

func (c counter) Add(_ context.Context, n int64, _ ...metric.AddOption) { c.aside.Add(n) }

// ours emits an event for all accounts of these tests' organization, and theirs for those of another one in the same
// shard.
func (w *world) ours() {
	w.emit(note{audience: event.Audience{Everyone: true}})
}

func (w *world) theirs(other id.Org) {
	w.t.Helper()
	w.sent++
	n := note{N: w.sent, audience: event.Audience{Everyone: true}}
	w.must(w.db.Write(w.t.Context(), other, func(tx *store.Tx) error { return tx.Emit(w.t.Context(), n) }))
}

// alive reports whether a queue can be polled.
func (w *world) alive(name string) bool {
	w.t.Helper()
	lengths, err := w.redis.Lengths(w.t.Context(), shard, []string{name})
	w.must(err)
	return lengths[0] > 0
}

// An event that can't be delivered is put aside after some tries, with an error in the log. The queues of its
// organization are dropped, since any of them might lack it. Other organizations of the shard get all events, and so do
// queues that are registered afterwards.
func TestUndeliverableEvent(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		damage string // of the log's row
		reason string
		narrow bool
	}{
		"audience":                          {damage: `audience = '{"users":"everybody"}'`, reason: "read its audience"},
		"change":                            {damage: `change = '[7]'`, reason: "a change in the event log can't be read"},
		"payload":                           {damage: `payload = '{"type":"note","n":'`, reason: "its payload isn't JSON"},
		"message":                           {damage: `type = 'message', payload = '{"type":"message","message":7}'`, reason: "its payload isn't that of a message"},
		"message for a queue with a narrow": {damage: `type = 'message', payload = '{"type":"message","message":7}'`, reason: "its payload isn't that of a message", narrow: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := open(t)
			other := org + id.Org(w.db.Shards())
			ann, theirs := w.register(1), queue.NewID(shard)
			if test.narrow {
				_, err := w.redis.Unregister(t.Context(), shard, ann)
				w.must(err)
				ann = queue.NewID(shard)
				d := queue.Descriptor{Org: org, User: 1, Narrow: [][2]string{{"topic", "x"}}, Lifetime: 600}
				w.must(w.redis.Register(t.Context(), shard, ann, d, queue.Quota{}))
			}
			w.must(w.redis.Register(t.Context(), shard, theirs, queue.Descriptor{Org: other, User: 1, Lifetime: 600}, queue.Quota{}))
			w.super.Exec(`insert into users (org_id, user_id, email, full_name, role, active) values ($1, 1, 'x@x', 'x', 400, true)`, int64(other))
			w.emit(joined(1))
			w.theirs(other)
			w.ours()
			w.super.Exec(`update event_log set ` + test.damage + ` where id = (select max(id) from event_log)`)
			w.theirs(other)
			w.ours()
			d, log, aside := w.talking()
			w.start(d)
			w.settle(d)
			if w.alive(ann) {
				t.Error("a queue that is short of an event is still there")
			}
			w.has("the other organization's", theirs, 2, 4)
			again := w.register(1)
			w.ours()
			w.settle(d)
			w.has("registered again", again, 6)
			// What follows has nobody left to be delivered to.
			if got := log.errors(); aside.Load() != 1 || len(got) != 1 || !strings.Contains(got[0], test.reason) || !strings.Contains(got[0], "organization=3") {
				t.Errorf("%d events put aside, logged: %q", aside.Load(), got)
			}
		})
	}
}

// malformed makes calls that append a certain event invalid.
type malformed struct{ ref string }

func (malformed) DialHook(next redis.DialHook) redis.DialHook { return next }
func (malformed) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return next
}

func (m *malformed) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		args := cmd.Args()
		if i := slices.Index(args, any(m.ref)); len(args) > 1 && args[1] == "chatserver2_dispatch" && i > 0 {
			args[i+3] = "x"
		}
		return next(ctx, cmd)
	}
}

// Only an event that Redis always refuses is put aside: other events of the same call enter their queues once.
func TestRefusedEvent(t *testing.T) {
	t.Parallel()
	w := open(t)
	other := org + id.Org(w.db.Shards())
	ann, theirs := w.register(1), queue.NewID(shard)
	w.must(w.redis.Register(t.Context(), shard, theirs, queue.Descriptor{Org: other, User: 1, Lifetime: 600}, queue.Quota{}))
	w.super.Exec(`insert into users (org_id, user_id, email, full_name, role, active) values ($1, 1, 'x@x', 'x', 400, true)`, int64(other))
	w.emit(joined(1))
	w.theirs(other)
	w.ours()
	entries := w.entries(w.sent)
	bad := entries[len(entries)-1].Position
	w.client.AddHook(&malformed{strconv.FormatUint(bad.Xid, 10) + "." + strconv.FormatInt(bad.ID, 10)})
	w.theirs(other)
	d, log, aside := w.talking()
	w.start(d)
	w.settle(d)
	if w.alive(ann) {
		t.Error("a queue that is short of an event is still there")
	}
	w.has("the other organization's", theirs, 2, 4)
	if got := log.errors(); aside.Load() != 1 || len(got) != 1 || !strings.Contains(got[0], "Redis refuses") {
		t.Errorf("%d events put aside, logged: %q", aside.Load(), got)
	}
}

// A queue to which no entry can be appended is dropped, and doesn't delay others: queues before it in the same call get
// no event twice.
func TestBrokenQueue(t *testing.T) {
	t.Parallel()
	w := open(t)
	names := []string{w.register(1), w.register(1), w.register(1)}
	key := "{s" + strconv.Itoa(shard) + "}:queue:" + names[1]
	w.must(w.client.Set(t.Context(), key, "no stream", 0).Err())
	w.emit(joined(1))
	w.ours()
	w.ours()
	d, log, _ := w.talking()
	w.start(d)
	w.settle(d)
	w.has("before it", names[0], 2, 3)
	w.has("behind it", names[2], 2, 3)
	queues, _, err := w.redis.Registry(t.Context(), shard)
	w.must(err)
	left := []string{}
	for _, q := range queues {
		left = append(left, q.ID)
	}
	want := []string{names[0], names[2]}
	slices.Sort(want)
	slices.Sort(left)
	if diff := cmp.Diff(want, left); diff != "" || w.client.Exists(t.Context(), key).Val() != 0 {
		t.Errorf("registry (-want +got):\n%s", diff)
	}
	if got := log.errors(); len(got) != 0 {
		t.Errorf("logged: %q", got)
	}
}

// No event is put aside because of an outage of Redis.
func TestOutageIsNoReason(t *testing.T) {
	t.Parallel()
	w := open(t)
	ann := w.register(1)
	d, _, aside := w.talking()
	w.emit(joined(1))
	w.ours()
	w.must(w.client.ConfigSet(t.Context(), "maxmemory", "1").Err())
	for i := range 10 {
		if err := d.Dispatch(t.Context(), shard); err == nil {
			t.Fatalf("try %d worked", i)
		}
	}
	w.must(w.client.ConfigSet(t.Context(), "maxmemory", "0").Err())
	w.start(d)
	w.settle(d)
	w.has("queue", ann, 2)
	if aside.Load() != 0 {
		t.Error(fmt.Sprint(aside.Load(), " events were put aside"))
	}
}
