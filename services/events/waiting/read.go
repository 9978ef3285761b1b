package waiting

import (
	"context"

	"chatserver.dev/pkg/queue"
	"chatserver.dev/pkg/store"
)

// woken are polls whose event has to be read before they are answered. They no longer wait.
type woken struct {
	pointer queue.Pointer
	polls   []*Poll
}

// read queues an event to be read.
func (s *shard) read(w woken) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.reads.add(w)
}

// readSome reads events and answers their polls. A slow read delays only polls of the same shard whose event isn't in memory
// either.
func (r *Room) readSome(ctx context.Context, number int, some []woken) {
	wanted := make([]store.Position, len(some))
	for i, w := range some {
		wanted[i] = w.pointer.Event
	}
	events, err := r.Payloads.Get(ctx, number, wanted)
	for _, w := range some {
		if e := events[w.pointer.Event]; e != nil {
			r.answer(ctx, w.pointer, e, w.polls)
			continue
		}
		for _, p := range w.polls {
			p.put(Answer{Err: err, Lost: err == nil})
		}
	}
}
