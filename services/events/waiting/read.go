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

// read queues an event for the readLoop.
func (s *shard) read(w woken) {
	s.mutex.Lock()
	s.reads = append(s.reads, w)
	s.mutex.Unlock()
	notify(s.unread)
}

// readLoop reads the events of the shard's woken polls, in batches: all that were queued during a read are in the next
// batch. So a slow read delays only polls of the same shard whose event isn't in memory either.
func (r *Room) readLoop(ctx context.Context, s *shard) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.unread:
		}
		for ctx.Err() == nil {
			s.mutex.Lock()
			n := min(batch, len(s.reads))
			some := s.reads[:n:n]
			if s.reads = s.reads[n:]; len(s.reads) == 0 {
				s.reads = nil
			}
			s.mutex.Unlock()
			if n == 0 {
				break
			}
			r.readSome(ctx, s.number, some)
		}
	}
}

// readSome reads events and answers their polls.
func (r *Room) readSome(ctx context.Context, number int, some []woken) {
	wanted := make([]store.Position, len(some))
	for i, w := range some {
		wanted[i] = w.pointer.Event
	}
	events, err := r.Payloads.Get(ctx, number, wanted)
	for _, w := range some {
		if e := events[w.pointer.Event]; e != nil {
			r.fair.answer(ctx, w.pointer, e, w.polls)
			continue
		}
		for _, p := range w.polls {
			p.put(Answer{Err: err, Lost: err == nil})
		}
	}
}
