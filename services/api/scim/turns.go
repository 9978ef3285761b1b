package scim

import (
	"context"
	"sync"

	"chatserver.dev/pkg/id"
)

const (
	// maxCalls is the maximum number of concurrent calls, and maxPerOrg that of one organization, whose provider may
	// read responses slowly.
	maxCalls  = 8
	maxPerOrg = 2
)

// turns limits concurrent calls. It is safe for concurrent use.
type turns struct {
	all chan struct{}

	mutex sync.Mutex
	orgs  map[id.Org]*turnsOfOrg // organizations with calls
}

type turnsOfOrg struct {
	taken chan struct{}
	calls int // number of calls that are handled or wait
}

func newTurns() *turns {
	return &turns{all: make(chan struct{}, maxCalls), orgs: map[id.Org]*turnsOfOrg{}}
}

// take waits until a call of an organization may be handled. The caller must call end afterwards. false: ctx ended
// first.
func (t *turns) take(ctx context.Context, of id.Org) (end func(), ok bool) {
	own := t.enter(of)
	select {
	case own.taken <- struct{}{}:
	case <-ctx.Done():
		t.leave(of)
		return nil, false
	}
	select {
	case t.all <- struct{}{}:
	case <-ctx.Done():
		<-own.taken
		t.leave(of)
		return nil, false
	}
	return func() {
		<-t.all
		<-own.taken
		t.leave(of)
	}, true
}

func (t *turns) enter(of id.Org) *turnsOfOrg {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	own := t.orgs[of]
	if own == nil {
		own = &turnsOfOrg{taken: make(chan struct{}, maxPerOrg)}
		t.orgs[of] = own
	}
	own.calls++
	return own
}

func (t *turns) leave(of id.Org) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	if own := t.orgs[of]; own.calls > 1 {
		own.calls--
	} else {
		delete(t.orgs, of)
	}
}
