package store

import (
	"context"
	"slices"
	"sync"
	"time"
)

const (
	// maxTransactions is how many transactions store messages at a time. While they are at it, what
	// comes gathers for the next one: the busier the server, the less each message costs.
	maxTransactions = 2
	// maxGathered is how many messages one transaction stores.
	maxGathered = 32
)

// gathering lets messages of concurrent senders be stored together. Whoever comes while few are at it
// stores at once; one of those that wait stores what has gathered. Its zero value is ready.
type gathering struct {
	mutex   sync.Mutex
	running int
	waiting []*sending
}

// do has s stored, by the caller or by another one; store has until limit. It fails where ctx ends before that
// began, or where the line doesn't move.
func (g *gathering) do(ctx context.Context, s *sending, limit time.Duration, store func(context.Context, []*sending)) error {
	if !g.enter(s) {
		if err := g.wait(ctx, s, 2*limit); err != nil {
			return err
		}
	}
	if s.leads == nil {
		return nil
	}
	defer g.pass()
	stored := false
	defer func() {
		for _, other := range s.leads {
			if !stored { // store has panicked
				other.err = ErrUnsure
			}
			if other != s {
				close(other.turn)
			}
		}
	}()
	// Others wait for it, too, so it doesn't end with the caller.
	bounded, cancel := context.WithTimeout(context.WithoutCancel(ctx), limit)
	defer cancel()
	store(bounded, s.leads)
	stored = true
	return nil
}

// wait returns when it is s's turn, or s is stored.
func (g *gathering) wait(ctx context.Context, s *sending, limit time.Duration) error {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	var late error
	select {
	case <-s.turn:
		return nil
	case <-ctx.Done():
		late = ctx.Err()
	case <-timer.C:
		late = ErrSlow
	}
	if g.leave(s) {
		return late
	}
	<-s.turn
	return nil
}

// enter lets s lead if few are at it, and wait otherwise.
func (g *gathering) enter(s *sending) (leads bool) {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	if g.running == maxTransactions {
		g.waiting = append(g.waiting, s)
		return false
	}
	g.running++
	s.leads = []*sending{s}
	return true
}

// leave takes s out of those that wait; false where somebody has taken it already.
func (g *gathering) leave(s *sending) bool {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	at := slices.Index(g.waiting, s)
	if at < 0 {
		return false
	}
	g.waiting = slices.Delete(g.waiting, at, at+1)
	return true
}

// pass lets one of those that wait lead, or makes room.
func (g *gathering) pass() {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	n := min(len(g.waiting), maxGathered)
	if n == 0 {
		g.running--
		return
	}
	next := slices.Clone(g.waiting[:n])
	g.waiting = slices.Delete(g.waiting, 0, n)
	next[0].leads = next
	close(next[0].turn)
}
