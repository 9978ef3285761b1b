package dispatch_test

import (
	"context"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/queue"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/pkg/testbed"
	"chatserver.dev/services/events/dispatch"
)

// Queues that lack events which were deleted before they were dispatched are dropped, so that their clients register again. Queues
// that have all events stay, however old those are.
func TestEventsExpireBeforeTheyAreDispatched(t *testing.T) {
	t.Parallel()
	w := open(t)
	age := func() { w.super.Exec("update event_log set created_at = created_at - interval '9 hours'") }
	d, log, _ := w.talking() // events are kept for an hour
	ann := w.register(1)
	w.emit(joined(1), note{audience: event.Audience{Everyone: true}})
	stop := w.start(d)
	w.settle(d)
	stop()
	age()
	d.MaintainLog(t.Context())
	w.has("ann", ann, 2)
	if got := w.rows(); got != 0 {
		t.Fatalf("%d old events are still in the log", got)
	}

	w.ours()
	w.emit(note{audience: event.Audience{Users: nil}})
	d.MaintainLog(t.Context())
	if got := w.rows(); got != 2 || !w.alive(ann) {
		t.Fatalf("%d of 2 events that wait are in the log, and the queue is alive: %v", got, w.alive(ann))
	}
	age()
	_, err := dispatch.Start(t.Context(), w.db.Log(), w.redis, shard-1)
	w.must(err)
	other := queue.NewID(shard - 1)
	w.must(w.redis.Register(t.Context(), shard-1, other, queue.Descriptor{Org: org - 1, User: 1, Lifetime: 600}, queue.Quota{}))
	d.MaintainLog(t.Context())
	lengths, err := w.redis.Lengths(t.Context(), shard-1, []string{other})
	w.must(err)
	if w.alive(ann) || lengths[0] == 0 || !strings.Contains(log.all(), "events are deleted before they were dispatched") {
		t.Errorf("ann's queue is alive: %v, that of another shard has %d entries, the log has %s", w.alive(ann), lengths[0], log.all())
	}
	late := w.register(1)
	w.start(d)
	w.ours()
	w.settle(d)
	w.has("registered afterwards", late, w.sent)
}

// Late events that are being dispatched at the same time are not deleted, and no queue is dropped for them.
func TestLateEventsAreBeingDispatched(t *testing.T) {
	t.Parallel()
	w := open(t)
	d, log, _ := w.talking() // events are kept for an hour
	ann := w.register(1)
	w.emit(joined(1), note{audience: event.Audience{Everyone: true}}, note{audience: event.Audience{Everyone: true}})
	w.super.Exec("update event_log set created_at = created_at - interval '9 hours'")
	entries := w.entries(3)
	w.client.AddHook(beforeReset(func() {
		from, _, err := w.redis.Cursor(t.Context(), shard)
		w.must(err)
		_, version, err := w.redis.Registry(t.Context(), shard)
		w.must(err)
		to := queue.Cursor{Incarnation: from.Incarnation, Place: queue.Place{Position: entries[0].Position}}
		if outcome, _, err := w.redis.Dispatch(t.Context(), shard, from, to, version, nil); outcome != queue.Done || err != nil {
			t.Errorf("dispatch: %v, %v", outcome, err)
		}
	}))
	d.MaintainLog(t.Context())
	if got := w.rows(); got != 3 || !w.alive(ann) {
		t.Errorf("%d of 3 events are in the log, and the queue is alive: %v; the log has %s", got, w.alive(ann), log.all())
	}
}

// beforeReset is a hook that is called before the first reset of a shard.
func beforeReset(do func()) redis.Hook { return &resetHook{do: sync.OnceFunc(do)} }

type resetHook struct {
	hook
	do func()
}

func (h *resetHook) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		if args := cmd.Args(); len(args) > 1 && args[1] == "chatserver2_reset" {
			h.do()
		}
		return next(ctx, cmd)
	}
}

// While it isn't known what was dispatched, no event is deleted.
func TestNothingExpiresWithoutRedis(t *testing.T) {
	t.Parallel()
	w := open(t)
	d, log, _ := w.talking()
	w.ours()
	w.super.Exec("update event_log set created_at = created_at - interval '9 hours'")
	w.must(w.client.Set(t.Context(), "{s3}:cursor", "of another release", time.Minute).Err())
	d.MaintainLog(t.Context())
	if got := w.rows(); got != 1 || !strings.Contains(log.all(), "failed to look for events") {
		t.Errorf("%d events, and the log has %s", got, log.all())
	}
}

// rows returns the number of the shard's events in the log.
func (w *world) rows() int {
	w.t.Helper()
	return storetest.Values[int](w.super, "select count(*) from event_log where shard = $1", shard)[0]
}

// Queues are dropped if Redis is restored from a copy that is so old that later events have been deleted.
func TestRedisOfLongAgo(t *testing.T) {
	t.Parallel()
	w := open(t)
	later := atomic.Int64{}
	d := w.dispatcherAt("one", func() time.Time { return time.Now().Add(time.Duration(later.Load())) }) // events are kept for an hour
	ann, all := w.register(1), note{audience: event.Audience{Everyone: true}}
	stop := w.start(d)
	w.emit(joined(1), all)
	later.Add(int64(2 * time.Minute))
	keys, kept := []string{"{s3}:cursor", "{s3}:reached", "{s3}:queue:" + ann}, []string{}
	testbed.Until(t, "the time is noted", func() bool { return w.client.Exists(t.Context(), keys[1]).Val() == 1 })
	w.settle(d)
	for _, key := range keys {
		kept = append(kept, w.client.Dump(t.Context(), key).Val())
	}
	restore := func() {
		stop()
		for i, key := range keys {
			w.must(w.client.RestoreReplace(t.Context(), key, 0, kept[i]).Err())
		}
		stop = w.start(d)
		w.emit(all)
		w.settle(d)
	}
	w.emit(all, all)
	w.settle(d)
	restore()
	w.has("an hour has not passed", ann, 2, 3, 4, 5)

	stop()
	w.super.Exec("update event_log set created_at = created_at - interval '9 hours'")
	later.Add(int64(9 * time.Hour))
	d.MaintainLog(t.Context())
	restore()
	if w.alive(ann) {
		t.Errorf("the queue has the events %v", w.got(ann))
	}
	late := w.register(1)
	w.emit(all)
	w.settle(d)
	w.has("registered afterwards", late, w.sent)
}
