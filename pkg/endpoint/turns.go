package endpoint

import (
	"cmp"
	"context"
	"runtime"
	"slices"
	"sync"
	"time"

	"chatserver.dev/pkg/id"
)

// defaultTurns returns the default of [Config].Turns: half of the processors, so that the others are free for everything
// else.
func defaultTurns() int { return max(1, runtime.GOMAXPROCS(0)/2) }

// turns limits the number of large answers that are made concurrently. Turns are shared fairly among organizations and,
// in each, among accounts, however many requests of each are waiting. It is safe for concurrent use.
type turns struct {
	mutex   sync.Mutex
	free    int // 0 while requests wait
	waiting []*waiter
	round   uint64
	orgs    map[id.Org]uint64  // the round of each organization's last turn; cleared when a turn ends and nobody waits
	users   map[id.User]uint64 // the same for accounts
}

// waiter is a request that waits for its turn.
type waiter struct {
	org  id.Org
	user id.User
	turn chan struct{} // closed when it has a turn
}

func newTurns(limit int) *turns {
	return &turns{free: limit, orgs: map[id.Org]uint64{}, users: map[id.User]uint64{}}
}

// take waits until the request has a turn. It fails if ctx ends before. pass ends the turn.
func (t *turns) take(ctx context.Context, org id.Org, user id.User) error {
	w := t.enter(org, user)
	if w == nil {
		return nil
	}
	select {
	case <-w.turn:
		return nil
	case <-ctx.Done():
	}
	t.mutex.Lock()
	defer t.mutex.Unlock()
	if i := slices.Index(t.waiting, w); i >= 0 {
		t.waiting = slices.Delete(t.waiting, i, i+1)
		return errBusy.Wrap(ctx.Err())
	}
	return nil // it has just got its turn
}

// enter takes a turn. If none is free, it returns a waiter at the end of the queue.
func (t *turns) enter(org id.Org, user id.User) *waiter {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	if t.free > 0 {
		t.free--
		t.note(org, user)
		return nil
	}
	w := &waiter{org, user, make(chan struct{})}
	t.waiting = append(t.waiting, w)
	return w
}

// pass hands a turn to a waiting request: of the organization whose last turn was the longest ago, and there of the
// account whose last turn was.
func (t *turns) pass() {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	if len(t.waiting) == 0 {
		t.free++
		clear(t.orgs)
		clear(t.users)
		return
	}
	next := slices.MinFunc(t.waiting, func(a, b *waiter) int { // the first of several
		return cmp.Or(cmp.Compare(t.orgs[a.org], t.orgs[b.org]), cmp.Compare(t.users[a.user], t.users[b.user]))
	})
	i := slices.Index(t.waiting, next)
	t.waiting = slices.Delete(t.waiting, i, i+1)
	t.note(next.org, next.user)
	close(next.turn)
}

func (t *turns) note(org id.Org, user id.User) {
	t.round++
	t.orgs[org], t.users[user] = t.round, t.round
}

// takeTurn waits until the call may make a large answer, at most for the duration wait. The call must not have a turn
// yet.
func (c *call) takeTurn(ctx context.Context, wait time.Duration) error {
	c.pause()
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	if err := c.router.turns.take(ctx, c.who.Org(), c.who.User); err != nil {
		return err
	}
	c.hasTurn, c.pace = true, newPace(&c.router.small)
	return nil
}

// rest pauses the call from time to time while it makes a large answer, so that others get the processor.
func (c *call) rest() {
	if c.hasTurn {
		c.pace.rest()
	}
}

// passTurn ends the call's turn, if it has one.
func (c *call) passTurn() {
	if c.hasTurn {
		c.hasTurn = false
		c.router.turns.pass()
	}
}

// work counts the call as a small one, unless it makes a large answer itself. Large answers rest longer while there are
// small calls.
func (c *call) work() {
	if !c.hasTurn && !c.working {
		c.working = true
		c.router.small.Add(1)
	}
}

// pause undoes work.
func (c *call) pause() {
	if c.working {
		c.working = false
		c.router.small.Add(-1)
	}
}
