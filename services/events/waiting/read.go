package waiting

import (
	"context"
	"slices"

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
		e := events[w.pointer.Event]
		polls := slices.DeleteFunc(w.polls, func(p *Poll) bool {
			lacks := !isOf(p.queue.Org, e)
			if lacks {
				p.put(Answer{Err: err, Lost: err == nil})
			}
			return lacks
		})
		if len(polls) > 0 {
			r.fair.answer(ctx, w.pointer, e, polls)
		}
	}
}
