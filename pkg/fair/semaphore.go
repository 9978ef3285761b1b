// Package fair limits concurrent work that many organizations ask for, so that none of them delays the others for long.
package fair

import (
	"context"
	"sync"

	"chatserver.dev/pkg/id"
)

// Semaphore limits the number of callers that work at a time, in total and of each organization. Organizations take turns: one
// whose callers wait delays the callers of another one by as many as may work at a time, however many wait. It is safe for
// concurrent use.
type Semaphore struct {
	working chan struct{} // has an element for each caller that works
	perOrg  int

	mutex sync.Mutex
	orgs  map[id.Org]*orgCallers // organizations with callers
}

type orgCallers struct {
	next    chan struct{} // has an element for each caller that works, or is among the next ones
	callers int
}

// NewSemaphore returns a semaphore for that many callers at a time, of which perOrg may be of the same organization. Both numbers are
// positive.
func NewSemaphore(atATime, perOrg int) *Semaphore {
	return &Semaphore{working: make(chan struct{}, atATime), perOrg: perOrg, orgs: map[id.Org]*orgCallers{}}
}

// Max returns the number of callers that work at a time.
func (s *Semaphore) Max() int { return cap(s.working) }

// Acquire waits until a caller of an organization may work. The caller must call release afterwards. false: ctx ended first.
func (s *Semaphore) Acquire(ctx context.Context, of id.Org) (release func(), ok bool) {
	own := s.enter(of)
	select {
	case own.next <- struct{}{}:
	case <-ctx.Done():
		s.leave(of)
		return nil, false
	}
	select {
	case s.working <- struct{}{}:
	case <-ctx.Done():
		<-own.next
		s.leave(of)
		return nil, false
	}
	return func() {
		<-s.working
		<-own.next
		s.leave(of)
	}, true
}

func (s *Semaphore) enter(of id.Org) *orgCallers {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	own := s.orgs[of]
	if own == nil {
		own = &orgCallers{next: make(chan struct{}, s.perOrg)}
		s.orgs[of] = own
	}
	own.callers++
	return own
}

func (s *Semaphore) leave(of id.Org) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if own := s.orgs[of]; own.callers > 1 {
		own.callers--
	} else {
		delete(s.orgs, of)
	}
}
