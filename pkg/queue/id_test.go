package queue_test

import (
	"math"
	"testing"

	"chatserver.dev/pkg/queue"
)

func TestShardOf(t *testing.T) {
	t.Parallel()
	for number := range 16 {
		name := queue.NewID(number)
		if got, ok := queue.ShardOf(name, 16); !ok || got != number {
			t.Errorf("%s, shard %d: %d %v", name, number, got, ok)
		}
	}
	random := queue.NewID(1)[2:]
	for _, bad := range []string{
		"", ":", ".", random, "16." + random, "-1." + random, "1.", "1." + random + "A", "1." + random[1:], "1." + random[1:] + "a", "x." + random,
		"1." + random[1:] + "\n", "1:" + random, "1.:" + random, "1:." + random, "1,2." + random,
	} {
		if got, ok := queue.ShardOf(bad, 16); ok {
			t.Errorf("%q is in shard %d", bad, got)
		}
	}
}

// An id acknowledges exactly the events up to it, no heartbeat has an event's id, and ids increase, except when no
// more ids are left for heartbeats.
func TestEventIDs(t *testing.T) {
	t.Parallel()
	if got := queue.EventID(2_000_000 + queue.First); got > math.MaxInt32 {
		t.Errorf("event two million has the id %d", got)
	}
	for _, number := range []int64{queue.First, 2, 3, 1001, 5_000_000_000} {
		id := queue.EventID(number)
		if number == queue.First {
			id = queue.NoEvent
		}
		next := queue.EventID(number + 1)
		for range 2*queue.Step + 1 {
			if got := queue.Acknowledged(id); got != number {
				t.Fatalf("%d acknowledges entry %d instead of %d", id, got, number)
			}
			beat := queue.HeartbeatID(id)
			if beat >= next || beat != min(id+1, next-1) {
				t.Fatalf("after %d comes the heartbeat %d, and the next event is %d", id, beat, next)
			}
			id = beat
		}
		if got := queue.Acknowledged(next); got != number+1 || id != next-1 {
			t.Errorf("%d acknowledges entry %d; the heartbeat before it is %d", next, got, id)
		}
	}
	if got := queue.Acknowledged(math.MaxInt64); got < 1<<50 {
		t.Errorf("the largest id acknowledges entry %d", got)
	}
}
