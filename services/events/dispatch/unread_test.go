package dispatch_test

import (
	"strconv"
	"testing"
	"time"

	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/queue"
	"chatserver.dev/pkg/testbed"
)

// An unread queue with a million events takes little memory of Redis, and is removed by the next sweep, which doesn't
// delay others for long. Its client gets the error that the queue doesn't exist; other clients get all events.
func TestMillionUnread(t *testing.T) {
	testbed.Slow(t)
	t.Parallel()
	const (
		count = 1_000_000
		some  = 10_000 // at a time, as long as Redis does nothing else
		limit = 32 << 20
	)
	w := open(t)
	unread, other := w.register(1), w.register(2)
	d := w.dispatcher("one")
	w.start(d)
	everybody := note{audience: event.Audience{Everyone: true}}
	w.emit(joined(1), joined(2), everybody)
	w.settle(d)
	key := "{s3}:queue:" + unread
	last, err := w.client.XRevRangeN(t.Context(), key, "+", "-", 1).Result()
	w.must(err)
	for range count / some {
		w.must(w.client.Eval(t.Context(), `for i = 1, tonumber(ARGV[2]) do redis.call('XADD', KEYS[1], '0-*', 'e', ARGV[1]) end return 1`,
			[]string{key}, last[0].Values["e"], some).Err())
	}
	memory, err := w.client.MemoryUsage(t.Context(), key).Result()
	w.must(err)
	t.Logf("a million events take %d MB", memory>>20)
	if memory > limit {
		t.Errorf("they take %d MB, want %d at most", memory>>20, limit>>20)
	}
	w.emit(everybody) // one more, like any other
	w.settle(d)
	before := w.busy()
	w.must(d.Sweep(t.Context(), shard))
	if took := w.busy() - before; took > 100*time.Millisecond { // reading the queue would take more
		t.Errorf("the sweep took %v of Redis's processor time", took)
	}
	polled, err := w.redis.Poll(t.Context(), shard, "one", []queue.PollRequest{{Queue: unread, Acknowledged: queue.First, Read: queue.First, TTL: 60}})
	w.must(err)
	if polled[0].Status != queue.Gone {
		t.Errorf("its queue has the status %v", polled[0].Status)
	}
	if left, err := w.client.Exists(t.Context(), key).Result(); err != nil || left != 0 {
		t.Errorf("left in Redis: %d, %v", left, err)
	}
	w.emit(everybody)
	w.settle(d)
	w.has("the other", other, 3, 4, 5)
}

// busy returns the processor time that Redis has used.
func (w *world) busy() time.Duration {
	w.t.Helper()
	info, err := w.client.InfoMap(w.t.Context(), "cpu").Result()
	w.must(err)
	var sum time.Duration
	for _, name := range []string{"used_cpu_user", "used_cpu_sys"} {
		seconds, err := strconv.ParseFloat(info["CPU"][name], 64)
		w.must(err)
		sum += time.Duration(seconds * float64(time.Second))
	}
	return sum
}
