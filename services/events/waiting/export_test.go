package waiting

import (
	"context"
	"fmt"
	"time"

	"chatserver.dev/pkg/queue"
)

// Burst exports burst to tests, which count its polls.
type Burst struct{ burst }

// IsOver is burst.isOver.
func (b *Burst) IsOver(came int64, now time.Time) bool { return b.isOver(came, now) }

// Look runs the work of every second at once.
func (r *Room) Look(ctx context.Context) { r.beat(ctx, r.look(), 0) }

// Follow makes the room follow a queue, without calls of Redis for a time, as after a poll that found no entries in it.
func (r *Room) Follow(q *Queue) {
	r.in(q.ID, func(s *shard) { s.known[q.ID] = q })
	q.follow = follow{newest: queue.First, delivered: queue.First, asked: r.Now()}
}

// HasAnswer reports whether a poll has its answer.
func (p *Poll) HasAnswer() bool { return len(p.answer) == 1 }

// Waits reports whether a poll waits.
func (p *Poll) Waits() bool {
	s := p.room.shards[p.queue.Shard]
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return p.waits()
}

// Check returns a description of the first state that violates the table at follow, or an empty text.
func (r *Room) Check() (wrong string) {
	for _, s := range r.shards {
		s.mutex.Lock()
		for name, q := range s.known {
			if q.newest != 0 && (q.passedOn > q.acknowledged || q.acknowledged > q.delivered || q.delivered > q.newest) {
				wrong = fmt.Sprintf("%s is followed as %+v", name, q.follow)
			}
		}
		for p := range s.waiting() {
			if q := p.queue; !p.asking && (p.immediate || p.last != q.delivered || q.newest != 0 && q.newest != p.last) {
				wrong = fmt.Sprintf("%s is parked with last %d, immediate %v, and followed as %+v", q.ID, p.last, p.immediate, q.follow)
			}
		}
		s.mutex.Unlock()
	}
	return wrong
}

// Sweep runs the work of every minute at once.
func (r *Room) Sweep() { r.sweep() }
