package limit

import (
	"sync"
	"time"

	"chatserver.dev/pkg/id"
)

const (
	// stripes share the accounts out, so that calls seldom wait for each other.
	stripes = 64
	// mostPerStripe bounds the accounts that are remembered, at about 64 bytes each.
	mostPerStripe = 4096
)

// Local counts in this process alone. It is safe for concurrent use.
type Local struct {
	rule    Rule
	stripes [stripes]stripe
}

// stripe has, for each account, the moment from which on it has all its calls again. An account that
// has them already needs no entry.
type stripe struct {
	mutex sync.Mutex
	full  map[id.User]time.Time
}

// NewLocal makes a limiter by a rule.
func NewLocal(rule Rule) *Local {
	l := &Local{rule: rule}
	for i := range l.stripes {
		l.stripes[i].full = map[id.User]time.Time{}
	}
	return l
}

// Allow counts a call at the moment now.
func (l *Local) Allow(user id.User, now time.Time) Decision {
	s := &l.stripes[uint64(user)%stripes] //nolint:gosec // ids are positive
	s.mutex.Lock()
	defer s.mutex.Unlock()
	full, known := s.full[user]
	if !known || full.Before(now) {
		full = now
	}
	share := l.rule.Window / time.Duration(l.rule.Calls) // the time in which a call is regained
	after := full.Add(share)
	if wait := after.Sub(now) - l.rule.Window; wait > 0 {
		return Decision{Limit: l.rule.Calls, Reset: full, RetryAfter: wait}
	}
	if !known && len(s.full) >= mostPerStripe {
		s.forget(now)
	}
	s.full[user] = after
	left := int((l.rule.Window - after.Sub(now)) / share)
	return Decision{Limit: l.rule.Calls, Remaining: left, Reset: after, Allowed: true}
}

// forget makes room: entries that say nothing go, and all of them if that isn't half.
func (s *stripe) forget(now time.Time) {
	for user, full := range s.full {
		if !full.After(now) {
			delete(s.full, user)
		}
	}
	if len(s.full) > mostPerStripe/2 {
		clear(s.full)
	}
}
