package waiting

import "time"

// Tide lets tests say when there is something to tidy up.
type Tide struct{ tide }

// IsOut is tide.isOut.
func (t *Tide) IsOut(came int64, now time.Time) bool { return t.isOut(came, now) }

// Dismiss is what happens every second.
func (r *Room) Dismiss() { r.dismiss() }

// Left reports whether the poll that waits for a queue is to be answered late.
func (r *Room) Left(q *Queue) bool {
	s := r.shards[q.Shard]
	s.mutex.Lock()
	defer s.mutex.Unlock()
	p := s.waiting[q.ID]
	return p != nil && p.late != nil
}
