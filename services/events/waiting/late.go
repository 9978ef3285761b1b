package waiting

import (
	"context"
	"slices"
)

const (
	// lateChunk is how many clients are told an answer in one go.
	lateChunk = 64
	// lateBacklog is how many chunks may wait; then whoever answers waits.
	lateBacklog = 256
)

// dismiss tells those who wait for the second time that they may leave. A poll that is answered soon
// costs the least with its goroutine, and one that waits for long without.
func (r *Room) dismiss() {
	for _, s := range r.shards {
		s.mutex.Lock()
		for _, p := range s.waiting {
			if p.late != nil || p.asking {
				continue
			}
			if p.rounds++; p.rounds == 2 {
				p.dismissed <- struct{}{}
			}
		}
		s.mutex.Unlock()
	}
}

// tell has polls told that were answered late, and that telling counts. No mutex is held: it may take a
// while.
func (r *Room) tell(polls []*poll) {
	for chunk := range slices.Chunk(polls, lateChunk) {
		select {
		case <-r.closed:
			r.abandon(chunk)
			continue
		default:
		}
		select {
		case r.late <- chunk:
		case <-r.closed:
			r.abandon(chunk)
		}
	}
}

// tellLoop tells late answers until ctx ends.
func (r *Room) tellLoop(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case polls := <-r.late:
			for _, p := range polls {
				p.late.Answer(ctx, <-p.answer, r.told)
			}
		}
	}
}

// close ends all polls that are to be answered late.
func (r *Room) close() {
	close(r.closed)
	for _, s := range r.shards {
		s.mutex.Lock()
		for name, p := range s.waiting {
			if p.late != nil {
				delete(s.waiting, name)
				p.late.Abandon()
			}
		}
		s.mutex.Unlock()
	}
	for {
		select {
		case polls := <-r.late:
			r.abandon(polls)
		default:
			return
		}
	}
}

func (r *Room) abandon(polls []*poll) {
	for _, p := range polls {
		p.late.Abandon()
		r.telling.Add(-1)
	}
}
