package waiting_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"go.opentelemetry.io/otel/metric/noop"

	"chatserver.dev/pkg/queue"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/pkg/testbed"
	"chatserver.dev/services/events/waiting"
)

// A heartbeat isn't stored in Redis, and doesn't change the queue's numbers.
func TestHeartbeat(t *testing.T) {
	t.Parallel()
	w := open(t)
	r, name := w.replica("one"), w.register("")
	last := int64(queue.First)
	for range 3 {
		for range 3 {
			waits := r.poll(name, last)
			r.parked(1)
			r.Beat(t.Context(), 0)
			if got := w.answer(waits); !got.Heartbeat || got.Events != nil || got.Status != queue.Current {
				t.Errorf("got %v", got)
			}
			if newest := w.client.XRevRangeN(t.Context(), "{s3}:queue:"+name, "+", "-", 1).Val()[0].ID; newest != fmt.Sprintf("0-%d", last) {
				t.Errorf("the newest entry is %s, and the newest event %d", newest, last)
			}
		}
		waits := r.poll(name, last)
		r.parked(1)
		w.dispatch(farAway, name)
		last++
		if got := w.answer(waits); got.Heartbeat || !slices.Equal(numbers(got), []int64{last}) {
			t.Errorf("got %v, want %d", got, last)
		}
	}
}

// However many polls of one organization come at the same time, each has its heartbeat 45 to 55 seconds later, and the
// heartbeats are spread evenly over these seconds.
func TestHeartbeatOfEachPoll(t *testing.T) {
	testbed.Slow(t)
	t.Parallel()
	const polls, first, last = 30_000, 45, 55
	clock := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	r, err := waiting.New(waiting.Deps{Shards: storetest.Shards, Replica: "one", Meter: noop.Meter{}, Now: func() time.Time { return clock }})
	if err != nil {
		t.Fatal(err)
	}
	waits := make([]*waiting.Poll, polls)
	for i := range waits {
		q := &waiting.Queue{ID: queue.NewID(number), Shard: number}
		r.Follow(q)
		waits[i] = r.Join(q, queue.First, false)
	}
	answered, seconds := 0, 0
	for second := 1; second <= last; second++ {
		clock = clock.Add(time.Second)
		r.Look(t.Context())
		now := polls - r.Waiting()
		switch got := now - answered; {
		case second < first && got > 0:
			t.Fatalf("%d were answered after %d s", got, second)
		case got > polls/5:
			t.Errorf("%d were answered in second %d", got, second)
		case got > 0:
			seconds++
		}
		answered = now
	}
	if answered != polls || seconds < 8 {
		t.Errorf("%d were answered until %d s, within %d seconds", answered, last, seconds)
	}
	for _, p := range waits {
		if !p.HasAnswer() || !p.Answer(t.Context()).Heartbeat {
			t.Fatal("a poll has another answer")
		}
	}
}

// A client that waited before its connection was served has its heartbeat earlier by that.
func TestHeartbeatOfWhoWaited(t *testing.T) {
	t.Parallel()
	clock := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	r, err := waiting.New(waiting.Deps{Shards: storetest.Shards, Replica: "one", Meter: noop.Meter{}, Now: func() time.Time { return clock }})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ waited, first, last time.Duration }{
		{0, 45 * time.Second, 55 * time.Second},
		{33 * time.Second, 12 * time.Second, 22 * time.Second},
		{time.Minute, 0, time.Second},
	} {
		q := &waiting.Queue{ID: queue.NewID(number), Shard: number}
		r.Follow(q)
		p := r.JoinAs(waiting.Client{Wake: func() {}, Waited: c.waited}, q, queue.First, false)
		start := clock
		for ; r.Waiting() > 0; clock = clock.Add(time.Second) {
			r.Look(t.Context())
		}
		if after := clock.Sub(start); after < c.first || after > c.last {
			t.Errorf("after %v: answered %v later, want %v to %v", c.waited, after, c.first, c.last)
		}
		if !p.Got(t.Context()).Heartbeat {
			t.Error("it has another answer")
		}
	}
}
