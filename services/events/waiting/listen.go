package waiting

import (
	"context"
	"log/slog"
	"math"
	"slices"
	"time"

	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/queue"
	"chatserver.dev/pkg/store"
)

// Appended answers the polls that wait for just this entry, and has Redis asked about those that
// wait for an earlier one.
func (r *Room) Appended(ctx context.Context, number int, pointer queue.Pointer, to []queue.Woken) {
	s := r.shards[number]
	ready := []*Poll(nil)
	s.mutex.Lock()
	for _, w := range to {
		if q := s.known[w.Queue]; q != nil {
			q.hear(w.Number)
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
	answer := r.answer(ctx, number, pointer)
	for _, p := range ready {
		if answer.Err != nil || answer.Lost {
			p.answer <- answer
			continue
		}
		p.answer <- Answer{Events: []Delivery{{Number: p.last, Pointer: pointer, Event: answer.Events[0].Event}}}
	}
	if made := answer.Events; r.woken != nil && len(made) > 0 && !made[0].Event.Made.IsZero() {
		r.woken(ctx, r.now().Sub(made[0].Event.Made))
	}
}

// answer gives one event as an answer, but for its number.
func (r *Room) answer(ctx context.Context, number int, pointer queue.Pointer) Answer {
	if pointer.Heartbeat {
		return Answer{Events: []Delivery{{Pointer: pointer, Event: event.Heartbeat()}}}
	}
	events, err := r.payloads.Get(ctx, number, []store.Position{pointer.Event})
	if err != nil {
		return Answer{Err: err}
	}
	if events[0] == nil {
		return Answer{Lost: true}
	}
	return Answer{Events: []Delivery{{Pointer: pointer, Event: events[0]}}}
}

// Moved answers, with nothing, a poll whose client polls at another replica now.
func (r *Room) Moved(name, replica string) {
	if replica != r.replica {
		r.end(name, Answer{})
	}
}

// Reset forgets all events.
func (r *Room) Reset() { r.payloads.Clear() }

// Removed forgets a queue that was removed and answers its poll.
func (r *Room) Removed(name string) {
	if s := r.shardOf(name); s != nil {
		s.mutex.Lock()
		defer s.mutex.Unlock()
		delete(s.known, name) // before the answer: whoever gets it finds the queue gone
		s.end(name, Answer{})
	}
}

// end answers a queue's poll, and has Redis asked about it next time.
func (r *Room) end(name string, answer Answer) {
	if s := r.shardOf(name); s != nil {
		s.mutex.Lock()
		defer s.mutex.Unlock()
		s.end(name, answer)
	}
}

// Recheck answers, with nothing, the polls of some accounts, so that they are authenticated again.
func (r *Room) Recheck(users map[id.User]bool) {
	for _, s := range r.shards {
		s.mutex.Lock()
		for name, p := range s.waiting {
			if users[p.queue.User] {
				s.end(name, Answer{})
			}
		}
		s.mutex.Unlock()
	}
}

// shardOf gives a queue's shard; nil for what is no queue's name.
func (r *Room) shardOf(name string) *shard {
	number, ok := queue.ShardOf(name, len(r.shards))
	if !ok {
		return nil
	}
	return r.shards[number]
}

// end is Room.end under the shard's mutex.
func (s *shard) end(name string, answer Answer) {
	if q := s.known[name]; q != nil {
		q.heard = 0
	}
	if p := s.waiting[name]; p != nil {
		p.queue.heard = 0
		s.finish(p, answer)
	}
}

// Reconnected has Redis asked about every poll, since wake-ups may have been lost.
func (r *Room) Reconnected() {
	for _, s := range r.shards {
		s.mutex.Lock()
		for _, q := range s.known {
			q.heard = 0
		}
		for _, p := range s.waiting {
			if p.asking {
				p.woken = math.MaxInt64 // the answer under way may be too old
			} else {
				s.enqueue(p)
			}
		}
		s.mutex.Unlock()
	}
}

// HeartbeatDue sends a heartbeat to each waiting poll, in a while.
func (r *Room) HeartbeatDue() {
	select {
	case r.beat <- struct{}{}:
	default:
	}
}

// beatLoop sends heartbeats when they are due, some at a time: all at once would delay messages.
func (r *Room) beatLoop(ctx context.Context) {
	sweep := time.NewTicker(time.Minute)
	defer sweep.Stop()
	look, tide := time.NewTicker(tidyPeriod), tide{}
	defer look.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-sweep.C:
			r.sweep()
		case <-look.C:
			r.dismiss()
			r.tidyUp(&tide)
		case <-r.beat:
			r.heartbeats(ctx, 50*time.Millisecond)
		}
	}
}

// Drain answers every waiting poll with a heartbeat, spread over a time, so that their clients poll
// again, elsewhere. Polls that come later are answered at once. It returns when all are answered, or
// when ctx ends.
func (r *Room) Drain(ctx context.Context, over time.Duration) {
	r.draining.Store(true)
	batches := 1
	for _, s := range r.shards {
		s.mutex.Lock()
		batches += (len(s.waiting) + batch - 1) / batch
		s.mutex.Unlock()
	}
	for pause := over / time.Duration(batches); ctx.Err() == nil; pause = time.Millisecond {
		r.heartbeats(ctx, pause)
		if r.Waiting() == 0 {
			return
		}
		select {
		case <-ctx.Done():
		case <-time.After(drainAgain):
		}
	}
}

// drainAgain is when Drain looks again for polls that wait: those that came when it began.
const drainAgain = 10 * time.Millisecond

// heartbeats sends one to each waiting poll, with a pause after each batch.
func (r *Room) heartbeats(ctx context.Context, pause time.Duration) {
	for _, s := range r.shards {
		s.mutex.Lock()
		polls := make([]queue.Poll, 0, len(s.waiting))
		for name, p := range s.waiting {
			polls = append(polls, queue.Poll{Queue: name, TTL: p.queue.Lifetime + int((parkedLife+askAgain)/time.Second)})
		}
		s.mutex.Unlock()
		for some := range slices.Chunk(polls, batch) {
			if ctx.Err() != nil {
				return
			}
			r.beatSome(ctx, s.number, some)
			select {
			case <-ctx.Done():
			case <-time.After(pause):
			}
		}
	}
}

// beatSome sends a heartbeat to some polls of one shard. Where that fails they are answered with
// nothing, which does the same for their connections.
func (r *Room) beatSome(ctx context.Context, number int, polls []queue.Poll) {
	numbers, err := r.redis.Heartbeats(ctx, number, polls)
	if err != nil {
		r.logger.ErrorContext(ctx, "heartbeats are lost", slog.Any("error", err))
		for _, p := range polls {
			r.end(p.Queue, Answer{})
		}
		return
	}
	woken := make([]queue.Woken, 0, len(numbers))
	for i, n := range numbers {
		if n == 0 {
			r.end(polls[i].Queue, Answer{Status: queue.Gone})
			continue
		}
		woken = append(woken, queue.Woken{Queue: polls[i].Queue, Number: n})
	}
	r.Appended(ctx, number, queue.Pointer{Heartbeat: true}, woken)
}
