package limit

import (
	"hash/maphash"
	"net/netip"
	"sync"
	"time"

	"chatserver.dev/pkg/id"
)

const (
	// stripes is how many maps with their own mutexes the callers are divided into, so that calls seldom wait for each other.
	stripes = 64
	// maxPerStripe is the maximum number of callers in a stripe, of about 64 bytes each.
	maxPerStripe = 4096
)

// Local limits calls in this process, for each account or each network. It is safe for
// concurrent use.
type Local[K comparable] struct {
	rule    Rule
	hash    func(caller K) uint64
	stripes [stripes]stripe[K]
}

// stripe has, for each caller, the time from which on it has all its calls again. A caller that has them
// already needs no entry.
type stripe[K comparable] struct {
	mutex sync.Mutex
	full  map[K]time.Time
}

// NewLocal returns a limiter of accounts.
func NewLocal(rule Rule) *Local[id.User] {
	return newLocal(rule, func(user id.User) uint64 { return uint64(user) })
}

// NewLocalByAddress returns a limiter of networks.
func NewLocalByAddress(rule Rule) *Local[netip.Prefix] {
	seed := maphash.MakeSeed() // so that clients can't choose addresses of the same stripe
	return newLocal(rule, func(network netip.Prefix) uint64 { return maphash.Comparable(seed, network) })
}

func newLocal[K comparable](rule Rule, hash func(K) uint64) *Local[K] {
	l := &Local[K]{rule: rule, hash: hash}
	for i := range l.stripes {
		l.stripes[i].full = map[K]time.Time{}
	}
	return l
}

// Allow counts a call at the time now.
func (l *Local[K]) Allow(caller K, now time.Time) Decision {
	s := &l.stripes[l.hash(caller)%stripes]
	s.mutex.Lock()
	defer s.mutex.Unlock()
	full, known := s.full[caller]
	if !known || full.Before(now) {
		full = now
	}
	share := l.rule.Window / time.Duration(l.rule.Calls) // the time in which a call is regained
	after := full.Add(share)
	if wait := after.Sub(now) - l.rule.Window; wait > 0 {
		return Decision{Limit: l.rule.Calls, Reset: full, RetryAfter: wait}
	}
	if !known && len(s.full) >= maxPerStripe {
		s.forget(now)
	}
	s.full[caller] = after
	left := int((l.rule.Window - after.Sub(now)) / share)
	return Decision{Limit: l.rule.Calls, Remaining: left, Reset: after, Allowed: true}
}

// forget makes room: it removes entries of callers that have all their calls, and then all if more than half are left.
func (s *stripe[K]) forget(now time.Time) {
	for caller, full := range s.full {
		if !full.After(now) {
			delete(s.full, caller)
		}
	}
	if len(s.full) > maxPerStripe/2 {
		clear(s.full)
	}
}
