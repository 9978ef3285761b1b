package scim

import (
	"context"
	"sync"

	"chatserver.dev/pkg/id"
)

const (
	// mostCalls is how many calls are handled at a time, and mostOfOrg how many of one organization: its provider may be slow to read.
	mostCalls = 8
	mostOfOrg = 2
)

// turns bounds the calls that are handled. It is safe for concurrent use.
type turns struct {
	all chan struct{}

	mutex sync.Mutex
	orgs  map[id.Org]*turnsOfOrg // of those that call
}

type turnsOfOrg struct {
	taken chan struct{}
	calls int // that are handled or wait
}

func newTurns() *turns {
	return &turns{all: make(chan struct{}, mostCalls), orgs: map[id.Org]*turnsOfOrg{}}
}

// take waits until a call of an organization may be handled, whose end the caller reports; false: ctx ended first.
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
		own = &turnsOfOrg{taken: make(chan struct{}, mostOfOrg)}
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
