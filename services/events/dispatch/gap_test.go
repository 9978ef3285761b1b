package dispatch_test

import (
	"testing"
	"time"

	"chatserver.dev/pkg/event"
	"chatserver.dev/services/events/dispatch"
)

// While nobody has a queue in a shard, its log is read less often, so that each read returns more events. A queue that is
// registered then has the next event.
func TestUnusedShard(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.store(*joined(1).change)
	d := w.dispatcher("one")
	w.start(d)
	start := time.Now()
	const reads = 10 // each event has its own, since it is emitted after the one before is dispatched
	for range reads {
		w.emit(note{audience: event.Audience{Everyone: true}})
		w.settle(d)
	}
	if took := time.Since(start); took < (reads-1)*dispatch.UnusedGap {
		t.Errorf("%d reads took %v", reads, took)
	}
	name := w.register(1)
	w.emit(note{audience: event.Audience{Everyone: true}})
	w.settle(d)
	w.has("the queue of a shard that was unused", name, reads+1)
}
