package waiting

import (
	"context"
	"fmt"
	"time"

	"chatserver.dev/pkg/queue"
)

// Burst is a burst whose polls tests count.
type Burst struct{ burst }

// IsOver is burst.isOver.
func (b *Burst) IsOver(came int64, now time.Time) bool { return b.isOver(came, now) }

// Look is what happens every second, but at once.
func (r *Room) Look(ctx context.Context) { r.beat(ctx, r.look(), 0) }

// Follow has Redis not asked about a queue for a while, as if the room had found it, and a poll nothing in it.
func (r *Room) Follow(q *Queue) {
	r.in(q.ID, func(s *shard) { s.known[q.ID] = q })
	q.follow = follow{newest: queue.First, delivered: queue.First, asked: r.Now()}
}

// HasAnswer reports whether a poll has its answer.
func (p *Poll) HasAnswer() bool { return len(p.answer) == 1 }

// Check returns what isn't as the table of states at follow has it; empty: nothing.
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

// Sweep is what happens every minute, but at once.
func (r *Room) Sweep() { r.sweep() }
