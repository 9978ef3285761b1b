package waiting

import (
	"context"
	"time"

	"chatserver.dev/pkg/queue"
)

// Tide lets tests say when there is something to tidy up.
type Tide struct{ tide }

// IsOut is tide.isOut.
func (t *Tide) IsOut(came int64, now time.Time) bool { return t.isOut(came, now) }

// Look is what happens every second, but at once.
func (r *Room) Look(ctx context.Context) { r.beat(ctx, r.look(), 0) }

// Follow has Redis not asked about a queue for a while, as if a poll had found nothing in it.
func (r *Room) Follow(q *Queue) {
	q.follow = follow{heard: queue.First, delivered: queue.First, asked: r.now()}
}

// HasAnswer reports whether a poll has its answer.
func (p *Poll) HasAnswer() bool { return len(p.answer) == 1 }
