// Package turns limits concurrent work that many organizations ask for, so that none of them delays the others for long.
package turns

import (
	"context"
	"sync"

	"chatserver.dev/pkg/id"
)

// Turns limits the number of callers that work at a time, in total and of each organization. Organizations take turns: one
// whose callers wait delays the callers of another one by as many as may work at a time, however many wait. It is safe for
// concurrent use.
type Turns struct {
	working chan struct{} // has an element for each caller that works
	perOrg  int

	mutex sync.Mutex
	orgs  map[id.Org]*turnsOfOrg // organizations with callers
}

type turnsOfOrg struct {
	next    chan struct{} // has an element for each caller that works, or is among the next ones
	callers int
}

// New returns turns for that many callers at a time, of which perOrg may be of the same organization. Both numbers are
// positive.
func New(atATime, perOrg int) *Turns {
	return &Turns{working: make(chan struct{}, atATime), perOrg: perOrg, orgs: map[id.Org]*turnsOfOrg{}}
}

// Max returns the number of callers that work at a time.
func (t *Turns) Max() int { return cap(t.working) }

// Take waits until a caller of an organization may work. The caller must call end afterwards. false: ctx ended first.
func (t *Turns) Take(ctx context.Context, of id.Org) (end func(), ok bool) {
	own := t.enter(of)
	select {
	case own.next <- struct{}{}:
	case <-ctx.Done():
		t.leave(of)
		return nil, false
	}
	select {
	case t.working <- struct{}{}:
	case <-ctx.Done():
		<-own.next
		t.leave(of)
		return nil, false
	}
	return func() {
		<-t.working
		<-own.next
		t.leave(of)
	}, true
}

func (t *Turns) enter(of id.Org) *turnsOfOrg {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	own := t.orgs[of]
	if own == nil {
		own = &turnsOfOrg{next: make(chan struct{}, t.perOrg)}
		t.orgs[of] = own
	}
	own.callers++
	return own
}

func (t *Turns) leave(of id.Org) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	if own := t.orgs[of]; own.callers > 1 {
		own.callers--
	} else {
		delete(t.orgs, of)
	}
}
