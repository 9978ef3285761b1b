package queue_test

import (
	"math"
	"regexp"
	"testing"

	"chatserver.dev/pkg/queue"
)

// former returns an id in the form of the previous release.
func former(name string) string { return regexp.MustCompile(`\.`).ReplaceAllString(name, ":") }

func TestShardOf(t *testing.T) {
	t.Parallel()
	for number := range 16 {
		name := queue.NewID(number)
		for _, name := range []string{name, former(name)} {
			if got, ok := queue.ShardOf(name, 16); !ok || got != number {
				t.Errorf("%s, shard %d: %d %v", name, number, got, ok)
			}
		}
		if regexp.MustCompile(`^-?\d+:`).MatchString(name) {
			t.Errorf("the previous release accepts %s as its own", name)
		}
	}
	random := queue.NewID(1)[2:]
	for _, bad := range []string{
		"", ":", ".", random, "16." + random, "-1." + random, "1.", "1." + random + "A", "1." + random[1:], "1." + random[1:] + "a", "x." + random,
		"1." + random[1:] + "\n", "1.:" + random, "1:." + random, "1,2." + random,
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
	name := queue.NewID(3)
	if got := queue.EventID(name, 2_000_000+queue.First); got > math.MaxInt32 {
		t.Errorf("event two million has the id %d", got)
	}
	for _, number := range []int64{queue.First, 2, 3, 1001, 5_000_000_000} {
		id := queue.EventID(name, number)
		if number == queue.First {
			id = queue.NoEvent
		}
		next := queue.EventID(name, number+1)
		for range 2*queue.Step + 1 {
			if got := queue.Acknowledged(name, id); got != number {
				t.Fatalf("%d acknowledges entry %d instead of %d", id, got, number)
			}
			beat, ok := queue.HeartbeatID(name, id)
			if !ok || beat >= next || beat != min(id+1, next-1) {
				t.Fatalf("after %d comes the heartbeat %d, and the next event is %d", id, beat, next)
			}
			id = beat
		}
		if got := queue.Acknowledged(name, next); got != number+1 || id != next-1 {
			t.Errorf("%d acknowledges entry %d; the heartbeat before it is %d", next, got, id)
		}
	}
	if got := queue.Acknowledged(name, math.MaxInt64); got < 1<<50 {
		t.Errorf("the largest id acknowledges entry %d", got)
	}
}

// Queues of the previous release keep its numbering, and have no ids for heartbeats.
func TestEventIDsOfReleaseBefore(t *testing.T) {
	t.Parallel()
	name := former(queue.NewID(3))
	for number := int64(queue.First); number < 10; number++ {
		if id := queue.EventID(name, number); id != number-2 || queue.Acknowledged(name, id) != number {
			t.Errorf("entry %d has the id %d, which acknowledges %d", number, id, queue.Acknowledged(name, id))
		}
	}
	if _, ok := queue.HeartbeatID(name, 7); ok {
		t.Error("a heartbeat has an id")
	}
	if got := queue.Acknowledged(name, math.MaxInt64); got != math.MaxInt64 {
		t.Errorf("the largest id acknowledges entry %d", got)
	}
}
