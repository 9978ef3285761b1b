package picture

import (
	"context"
	"sync"

	"chatserver.dev/pkg/id"
)

// turns limits the number of files that are decoded at a time. Organizations take turns: one whose callers wait delays the callers of
// another one by one file at most, however many they are. It is safe for concurrent use.
type turns struct {
	slots chan struct{} // has an element for each caller that decodes

	mutex sync.Mutex
	orgs  map[id.Org]*turnsOfOrg // organizations with callers
}

type turnsOfOrg struct {
	next    chan struct{} // has an element for each caller that decodes, or waits for one of the slots
	callers int
}

func newTurns(atATime int) *turns {
	return &turns{slots: make(chan struct{}, atATime), orgs: map[id.Org]*turnsOfOrg{}}
}

// take waits until a caller of an organization may decode a file. The caller must call end afterwards. false: ctx ended
// first.
func (t *turns) take(ctx context.Context, of id.Org) (end func(), ok bool) {
	own := t.enter(of)
	select {
	case own.next <- struct{}{}:
	case <-ctx.Done():
		t.leave(of)
		return nil, false
	}
	select {
	case t.slots <- struct{}{}:
	case <-ctx.Done():
		<-own.next
		t.leave(of)
		return nil, false
	}
	return func() {
		<-t.slots
		<-own.next
		t.leave(of)
	}, true
}

func (t *turns) enter(of id.Org) *turnsOfOrg {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	own := t.orgs[of]
	if own == nil {
		own = &turnsOfOrg{next: make(chan struct{}, cap(t.slots))}
		t.orgs[of] = own
	}
	own.callers++
	return own
}

func (t *turns) leave(of id.Org) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	if own := t.orgs[of]; own.callers > 1 {
		own.callers--
	} else {
		delete(t.orgs, of)
	}
}
