package waiting

import (
	"context"
	"math/rand/v2"
	"slices"
	"time"
)

const (
	// lookPeriod is how often the room looks at all polls that wait.
	lookPeriod = time.Second
	// beatAfter and beatSpread say when a poll gets its heartbeat: beatSpread is divided evenly among the polls by
	// chance. With the time until the room looks and sends, that is 45 to 55 seconds after it came (events.md, section 2.8).
	beatAfter, beatSpread = 45 * time.Second, 8 * time.Second
	// beatSteps is the number of parts in which due polls are answered. All at once would delay messages.
	beatSteps = 100
	// drainAgain is when Drain looks again for polls that wait: those that came when it began.
	drainAgain = 10 * time.Millisecond
)

// beatAt returns when a poll that comes now gets its heartbeat.
func beatAt(now time.Time) time.Time {
	return now.Add(beatAfter + rand.N(beatSpread)) //nolint:gosec // chance, not secrecy
}

// lookLoop sends heartbeats to waiting polls, and drops queues that aren't used, until ctx ends.
func (r *Room) lookLoop(ctx context.Context) {
	sweep := time.NewTicker(time.Minute)
	defer sweep.Stop()
	look, polls := time.NewTicker(lookPeriod), burst{}
	defer look.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-sweep.C:
			r.sweep()
		case <-look.C:
			r.beat(ctx, r.look(), lookPeriod/2)
			r.collectAfter(&polls)
		}
	}
}

// look returns the polls whose heartbeat is due.
func (r *Room) look() (due []*Poll) {
	now := r.Now()
	r.each(func(s *shard) {
		for p := range s.waiting() {
			if !p.asking && !now.Before(p.beat) {
				due = append(due, p)
			}
		}
	})
	return due
}

// Beat answers all polls that wait with heartbeats, spread over a time. It returns how many polls there were, with
// those that Redis is being asked about.
func (r *Room) Beat(ctx context.Context, over time.Duration) int {
	polls := []*Poll(nil)
	r.each(func(s *shard) { polls = slices.AppendSeq(polls, s.waiting()) })
	r.beat(ctx, polls, over)
	return len(polls)
}

// beat answers those of the polls that still wait. One that Redis is being asked about gets that answer.
func (r *Room) beat(ctx context.Context, polls []*Poll, over time.Duration) {
	for some := range slices.Chunk(polls, 1+len(polls)/beatSteps) {
		for _, p := range some {
			s := r.shards[p.queue.Shard]
			s.mutex.Lock()
			if p.waits() && !p.asking {
				p.finish(Answer{Heartbeat: true})
			}
			s.mutex.Unlock()
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(over / beatSteps):
		}
	}
}

// Drain answers every poll that waits with a heartbeat, spread over a time, so that their clients poll again,
// elsewhere. Polls that come later are answered at once. It returns when all are answered, or when ctx ends.
func (r *Room) Drain(ctx context.Context, over time.Duration) {
	r.draining.Store(true)
	for ; ctx.Err() == nil && r.Beat(ctx, over) > 0; over = 0 {
		select {
		case <-ctx.Done():
		case <-time.After(drainAgain):
		}
	}
}
