package waiting

import (
	"context"
	"math/rand/v2"
	"slices"
	"time"
)

const (
	// lookPeriod is how often the room checks all waiting polls.
	lookPeriod = time.Second
	// beatAfter is when a poll's heartbeat is due, plus a random part of beatSpread. With the time until the room
	// checks and sends, this is 45 to 55 seconds after the poll came (events.md, section 2.8).
	beatAfter, beatSpread = 45 * time.Second, 8 * time.Second
	// beatSteps is the number of parts in which due polls are answered. All at once would delay messages.
	beatSteps = 100
	// drainAgain is the pause before Drain looks for more waiting polls: those that came while it began.
	drainAgain = 10 * time.Millisecond
)

// beatAt returns when a client that has waited since a time gets a heartbeat.
func beatAt(since time.Time) time.Time {
	return since.Add(beatAfter + rand.N(beatSpread)) //nolint:gosec // chance, not secrecy
}

// lookLoop answers waiting polls with heartbeats, and drops unused queues, until ctx ends.
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

// Beat answers all waiting polls with heartbeats, spread over a time. It returns the number of waiting polls, including
// those that Redis is being asked about.
func (r *Room) Beat(ctx context.Context, over time.Duration) int {
	polls := []*Poll(nil)
	r.each(func(s *shard) { polls = slices.AppendSeq(polls, s.waiting()) })
	r.beat(ctx, polls, over)
	return len(polls)
}

// beat answers those polls that still wait, except for those that Redis is being asked about: they get Redis's answer.
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

// Drain answers every waiting poll with a heartbeat, spread over a time, so that the clients poll again at other
// replicas. Polls that come later are answered at once. It returns when all are answered, or when ctx ends.
func (r *Room) Drain(ctx context.Context, over time.Duration) {
	r.draining.Store(true)
	for ; ctx.Err() == nil && r.Beat(ctx, over) > 0; over = 0 {
		select {
		case <-ctx.Done():
		case <-time.After(drainAgain):
		}
	}
}
