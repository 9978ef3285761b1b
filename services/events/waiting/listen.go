package waiting

import (
	"context"
	"math"

	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/queue"
)

// Appended answers the polls that wait for exactly this entry, and queues those that wait for an earlier one
// for the shard's askLoop. It doesn't block: the shard's readLoop reads an event that isn't in memory.
func (r *Room) Appended(ctx context.Context, number int, pointer queue.Pointer, to []queue.Woken) {
	s := r.shards[number]
	ready := []*Poll(nil)
	s.mutex.Lock()
	for _, w := range to {
		if q := s.known[w.Queue]; q != nil {
			q.appended(w.Number)
		}
		p := s.waiting[w.Queue]
		switch {
		case p == nil || w.Number <= p.last:
		case p.asking:
			p.woken = max(p.woken, w.Number)
		case w.Number > p.last+1:
			s.enqueue(p)
		case p.queue.has(pointer):
			p.last, p.queue.delivered = w.Number, w.Number
		default:
			delete(s.waiting, w.Queue)
			p.last, p.queue.delivered = w.Number, w.Number
			ready = append(ready, p)
		}
	}
	s.mutex.Unlock()
	if len(ready) == 0 {
		return
	}
	recorded := r.Payloads.Fresh(pointer.Event)
	if recorded == nil {
		s.read(woken{pointer, ready})
		return
	}
	r.fair.answer(ctx, pointer, recorded, ready)
}

// answered measures the time from an event to the response to its polls, once for all of them. It is known for events
// that this replica dispatched.
func (r *Room) answered(ctx context.Context, recorded *event.Recorded) {
	if !recorded.Made.IsZero() {
		r.woken.Record(ctx, r.Now().Sub(recorded.Made).Seconds())
	}
}

// Moved answers, with nothing, a poll whose client polls at another replica now.
func (r *Room) Moved(name, replica string) {
	if replica != r.Replica {
		r.in(name, func(s *shard) { s.end(name, Answer{}) })
	}
}

// Reset forgets all events.
func (r *Room) Reset() { r.Payloads.Clear() }

// Removed forgets a queue that was removed and answers its poll.
func (r *Room) Removed(name string) {
	r.in(name, func(s *shard) {
		delete(s.known, name) // before the answer: whoever gets it finds the queue gone
		s.end(name, Answer{})
	})
}

// Recheck answers, with nothing, the polls of some accounts and organizations, so that they are authenticated again.
func (r *Room) Recheck(users map[id.User]bool, orgs map[id.Org]bool) {
	r.each(func(s *shard) {
		for name, q := range s.known {
			if users[q.User] || orgs[q.Org] {
				s.end(name, Answer{})
			}
		}
	})
}

// in calls do for a queue's shard, whose mutex is held meanwhile. Nothing happens for what is no queue's name.
func (r *Room) in(name string, do func(s *shard)) {
	if number, ok := queue.ShardOf(name, len(r.shards)); ok {
		s := r.shards[number]
		s.mutex.Lock()
		defer s.mutex.Unlock()
		do(s)
	}
}

// end answers a queue's poll, and marks the queue as unknown, so the next poll asks Redis. A poll that has an answer
// already can't wait again. The shard's mutex is held.
func (s *shard) end(name string, answer Answer) {
	if q := s.known[name]; q != nil {
		q.newest = 0
		q.turn++
	}
	if p := s.waiting[name]; p != nil {
		p.queue.newest = 0
		s.finish(p, answer)
	}
}

// Reconnected asks Redis about every poll of these shards, since wake-ups may have been lost.
func (r *Room) Reconnected(shards []int) {
	for _, number := range shards {
		r.shards[number].reconnected()
	}
}

func (s *shard) reconnected() {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	for _, q := range s.known {
		q.newest = 0
	}
	for _, p := range s.waiting {
		if p.asking {
			p.woken = math.MaxInt64 // the answer under way may be too old
		} else {
			s.enqueue(p)
		}
	}
}
