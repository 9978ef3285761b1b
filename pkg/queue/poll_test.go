package queue_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/redis/go-redis/v9"

	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/queue"
	"chatserver.dev/pkg/testbed"
)

func TestPollAcknowledges(t *testing.T) {
	t.Parallel()
	w := open(t)
	name := w.register()
	for range 5 {
		w.dispatch(name) // 2 to 6
	}
	steps := []struct {
		acknowledged int64
		status       queue.Status
		want         []int64
	}{
		{queue.First, queue.Current, []int64{2, 3, 4, 5, 6}},
		{queue.First, queue.Current, []int64{2, 3, 4, 5, 6}},
		{100, queue.Ahead, []int64{}},
		{queue.First, queue.Current, []int64{2, 3, 4, 5, 6}}, // Ahead dropped nothing
		{4, queue.Current, []int64{5, 6}},
		{4, queue.Current, []int64{5, 6}},
		{3, queue.Pruned, []int64{}},
		{0, queue.Pruned, []int64{}},
		{7, queue.Ahead, []int64{}},
		{6, queue.Current, []int64{}},
		{6, queue.Current, []int64{}},
	}
	for i, step := range steps {
		polled := w.poll("r", name, step.acknowledged)
		if diff := cmp.Diff(step.want, numbers(polled)); diff != "" || polled.Status != step.status {
			t.Errorf("step %d: status %d (-want +got):\n%s", i, polled.Status, diff)
		}
	}
	if length := w.client.XLen(t.Context(), "{s3}:queue:"+name).Val(); length != 1 {
		t.Errorf("%d entries are kept", length)
	}
	if polled := w.poll("r", queue.NewID(shard), queue.First); polled.Status != queue.Gone {
		t.Errorf("a queue that never was: %v", polled)
	}
}

// A long queue is returned in parts. The next part can be read without acknowledging the previous ones.
func TestPollReadsOn(t *testing.T) {
	t.Parallel()
	w := open(t)
	name := w.register()
	for range 3 {
		w.dispatch(slices.Repeat([]string{name}, 800)...) // 2 to 2401
	}
	read, got := int64(queue.First), []int64{}
	for {
		polled, err := w.Poll(t.Context(), shard, "r", []queue.PollRequest{{Queue: name, Acknowledged: queue.First, Read: read, TTL: 60}})
		w.must(err)
		some := numbers(polled[0])
		if len(some) > queue.MaxEntries {
			t.Fatalf("%d entries at once", len(some))
		}
		if got = append(got, some...); len(some) == 0 {
			break
		}
		read = some[len(some)-1]
	}
	want := []int64{}
	for number := int64(2); number <= 2401; number++ {
		want = append(want, number)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("numbers (-want +got):\n%s", diff)
	}
	if polled := w.poll("r", name, queue.First); len(polled.Entries) != queue.MaxEntries {
		t.Errorf("reading on has acknowledged: %v", polled.Status)
	}
}

// One call reads many queues, with a result for each.
func TestPollBatch(t *testing.T) {
	t.Parallel()
	w := open(t)
	a, b, c := w.register(), w.register(), w.register()
	w.dispatch(b, c)
	polls := []queue.PollRequest{}
	for _, p := range []struct {
		name string
		last int64
	}{{a, 1}, {"3.gone", 1}, {b, 1}, {c, 9}, {c, 2}} {
		polls = append(polls, queue.PollRequest{Queue: p.name, Acknowledged: p.last, Read: p.last, TTL: 60})
	}
	polled, err := w.Poll(t.Context(), shard, "r", polls)
	w.must(err)
	statuses := []queue.Status{}
	for _, p := range polled {
		statuses = append(statuses, p.Status)
	}
	if diff := cmp.Diff([]queue.Status{queue.Current, queue.Gone, queue.Current, queue.Ahead, queue.Current}, statuses); diff != "" {
		t.Errorf("statuses (-want +got):\n%s", diff)
	}
	if len(polled[2].Entries) != 1 || len(polled[0].Entries)+len(polled[4].Entries) != 0 {
		t.Errorf("entries %v", polled)
	}
}

func TestPollMoves(t *testing.T) {
	t.Parallel()
	w := open(t)
	name := w.register()
	published := w.publications()
	for _, replica := range []string{"one", "one", "two", "two", "one"} {
		w.poll(replica, name, queue.First)
	}
	w.poll("two", name, 100)                // refused: no poll waits there
	w.poll("two", "3.nothing", queue.First) // nor there
	want := []string{"moved one\n" + name + " 0-0", "moved two\n" + name + " 0-0", "moved one\n" + name + " 0-0"}
	if diff := cmp.Diff(want, published()); diff != "" {
		t.Errorf("published (-want +got):\n%s", diff)
	}
}

func (w *world) ttl(name string) float64 {
	w.t.Helper()
	return w.client.TTL(w.t.Context(), "{s3}:queue:"+name).Val().Seconds()
}

func TestExpiry(t *testing.T) {
	testbed.Slow(t)
	t.Parallel()
	w := open(t)
	name := w.register()
	if ttl := w.ttl(name); ttl < 55 || ttl > 60 {
		t.Errorf("a new queue lives for %v s", ttl)
	}
	for _, ttl := range []int{600, 10} { // a poll sets it, to more or to less
		_, err := w.Poll(t.Context(), shard, "r", []queue.PollRequest{{Queue: name, Acknowledged: 1, Read: 1, TTL: ttl}})
		w.must(err)
		if got := w.ttl(name); got > float64(ttl) || got < float64(ttl)-3 {
			t.Errorf("the queue lives for %v s, want %d", got, ttl)
		}
	}
	before := w.ttl(name)
	w.dispatch(name)
	if after := w.ttl(name); after > before {
		t.Error("an event made the queue live longer")
	}
	short := queue.NewID(shard)
	w.must(w.Register(t.Context(), shard, short, queue.Descriptor{Org: 1, User: 2, Lifetime: 1}, queue.Quota{}))
	time.Sleep(1100 * time.Millisecond)
	live, err := w.Lengths(t.Context(), shard, []string{short, name})
	w.must(err)
	if len(live) != 2 || live[0] != 0 || live[1] == 0 {
		t.Errorf("lengths %v", live)
	}
	if _, gone := w.dispatch(short, name); !slices.Equal(gone, []string{short}) {
		t.Errorf("gone %v", gone)
	}
	if polled := w.poll("r", short, queue.First); polled.Status != queue.Gone {
		t.Errorf("polled %v", polled)
	}
}

// busiest is a hook that notes the largest answers to polls, and counts calls of functions.
type busiest struct {
	entries int
	calls   map[string]int
}

func (*busiest) DialHook(next redis.DialHook) redis.DialHook { return next }
func (*busiest) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return next
}

func (b *busiest) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		err := next(ctx, cmd)
		if reply, ok := cmd.(*redis.Cmd); ok {
			b.calls[fmt.Sprint(cmd.Args()[1])]++
			answers, _ := reply.Val().([]any)
			entries := 0
			for _, answer := range answers {
				list, _ := answer.([]any)
				entries += len(list) / 2
			}
			b.entries = max(b.entries, entries)
		}
		return err
	}
}

// Clients that come back after a long time don't keep Redis busy for long: queues with many entries are read by several calls.
func TestPollManyEntries(t *testing.T) {
	t.Parallel()
	w := open(t)
	polls, want := []queue.PollRequest{}, []int{}
	for i, length := range []int{600, 0, 600, 1200, 3, 0, 900, 0} {
		name := w.register()
		pipe := w.client.Pipeline()
		for n := range length {
			pipe.XAdd(t.Context(), &redis.XAddArgs{Stream: "{s3}:queue:" + name, ID: "0-*", Values: []string{"e", fmt.Sprintf("7.%d %d", n+1, i)}})
		}
		_, err := pipe.Exec(t.Context())
		w.must(err)
		polls = append(polls, queue.PollRequest{Queue: name, Acknowledged: queue.First, Read: queue.First, TTL: 60})
		want = append(want, min(length, queue.MaxEntries))
	}
	b := &busiest{calls: map[string]int{}}
	w.client.AddHook(b)
	answers := []queue.PollResult{}
	for len(answers) < len(polls) {
		some, err := w.Poll(t.Context(), shard, "r", polls[len(answers):])
		w.must(err)
		answers = append(answers, some...)
	}
	got := []int{}
	for i, answer := range answers {
		got = append(got, len(answer.Entries))
		for n, e := range answer.Entries {
			if e.Number != int64(n)+2 || e.Flags != event.Flags(i) {
				t.Fatalf("queue %d: entry %d is %+v", i, n, e)
			}
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("entries (-want +got):\n%s", diff)
	}
	if calls := b.calls["chatserver2_poll"]; calls != 3 || b.entries >= 2*queue.MaxEntries {
		t.Errorf("%d calls, of which one returns %d entries", calls, b.entries)
	}
}
