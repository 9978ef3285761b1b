package queue_test

import (
	"bufio"
	"strconv"
	"strings"
	"testing"

	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/queue"
	"chatserver.dev/pkg/testbed"
)

// used returns the number of bytes that Redis uses for data.
func (w *world) used() int64 {
	w.t.Helper()
	text, err := w.client.Info(w.t.Context(), "memory").Result()
	w.must(err)
	for lines := bufio.NewScanner(strings.NewReader(text)); lines.Scan(); {
		if value, ok := strings.CutPrefix(lines.Text(), "used_memory_dataset:"); ok {
			used, err := strconv.ParseInt(value, 10, 64)
			w.must(err)
			return used
		}
	}
	w.t.Fatalf("no memory in %s", text)
	return 0
}

// Queues that aren't polled are small (events.md, section 8, row 37).
func TestIdleQueues(t *testing.T) {
	testbed.Slow(t)
	t.Parallel()
	w := open(t)
	const queues, limit = 10_000, 5 << 10 // of which 4 KiB are what Redis reserves for a stream's next entries
	before := w.used()
	names := make([]string, queues)
	for i := range names {
		names[i] = queue.NewID(shard)
		w.must(w.Register(t.Context(), shard, names[i], queue.Descriptor{Org: 1, User: id.User(i + 1), Types: []string{"message", "reaction"}, Lifetime: 600}, queue.Quota{}))
		w.must(w.SetSnapshot(t.Context(), shard, names[i], "1234567:1234599:1234570,1234571"))
	}
	if each := (w.used() - before) / queues; each > limit {
		t.Errorf("an idle queue takes %d bytes", each)
	}
}
