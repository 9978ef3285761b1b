package waiting

import (
	"context"
	"math"

	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/queue"
)

// Appended answers the polls that wait for exactly this entry. About polls that wait for an earlier entry, Redis is asked. It
// doesn't block: another goroutine of the shard asks Redis, and one reads events that aren't in memory.
func (r *Room) Appended(ctx context.Context, number int, pointer queue.Pointer, to []queue.Woken) {
	s, recorded := r.shards[number], r.Payloads.Fresh(pointer.Event)
	ready := []*Poll(nil)
	s.mutex.Lock()
	for _, w := range to {
		q := s.known[w.Queue]
		if q == nil {
			continue
		}
		q.appended(w.Number)
		p := q.poll
		switch {
		case p == nil || w.Number <= p.last:
		case p.asking:
			p.woken = max(p.woken, w.Number)
		case w.Number > p.last+1:
			s.enqueue(p)
		case q.has(pointer):
			p.last, q.delivered = w.Number, w.Number
		default:
			q.poll = nil
			p.last, q.delivered = w.Number, w.Number
			if recorded != nil && !isOf(q.Org, recorded) {
				p.put(Answer{Lost: true})
				continue
			}
			ready = append(ready, p)
		}
	}
	s.mutex.Unlock()
	if len(ready) == 0 {
		return
	}
	if recorded == nil {
		s.read(woken{pointer, ready})
		return
	}
	r.fair.answer(ctx, pointer, recorded, ready)
}

// answered measures the time from an event to the response to its polls, once for all of them. It is known only for
// events that this replica dispatched.
func (r *Room) answered(ctx context.Context, recorded *event.Recorded) {
	if !recorded.Made.IsZero() {
		r.woken.Record(ctx, r.Now().Sub(recorded.Made).Seconds())
	}
}

// Moved ends a poll with an empty answer if its client now polls at another replica.
func (r *Room) Moved(name, replica string) {
	if replica != r.Replica {
		r.in(name, func(s *shard) { s.known[name].end() })
	}
}

// Reset forgets all events.
func (r *Room) Reset() { r.Payloads.Clear() }

// Removed forgets a queue that was removed and answers its poll.
func (r *Room) Removed(name string) {
	r.in(name, func(s *shard) {
		if q := s.known[name]; q != nil {
			s.forget(q) // before the answer, so that the next poll doesn't find the queue
			q.end()
		}
	})
}

// Recheck ends the polls of some accounts and organizations with empty answers, so that their clients are authenticated
// again.
func (r *Room) Recheck(users map[id.User]bool, orgs map[id.Org]bool) {
	r.each(func(s *shard) {
		for _, q := range s.known {
			if users[q.User] || orgs[q.Org] {
				q.end()
			}
		}
	})
}

// in calls do for a queue's shard, with its mutex held. It does nothing if name isn't the name of a queue.
func (r *Room) in(name string, do func(s *shard)) {
	if number, ok := queue.ShardOf(name, len(r.shards)); ok {
		s := r.shards[number]
		s.mutex.Lock()
		defer s.mutex.Unlock()
		do(s)
	}
}

// end ends a queue's poll with an empty answer. Redis is asked about the next poll. A poll that has an answer already
// can't wait again. The shard's mutex is held; q is nil if the queue isn't known here.
func (q *Queue) end() {
	if q == nil {
		return
	}
	q.newest = 0
	q.turn++
	if q.poll != nil {
		q.poll.finish(Answer{})
	}
}

// Reconnected causes Redis to be asked about every poll of the shards, since wake-ups may have been lost.
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
	for p := range s.waiting() {
		if p.asking {
			p.woken = math.MaxInt64 // Redis's pending answer may be outdated
		} else {
			s.enqueue(p)
		}
	}
}
