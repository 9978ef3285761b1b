package limit

import (
	"sync"
	"time"

	"chatserver.dev/pkg/id"
)

const (
	// advanceLife is how long calls that were counted in advance may be made.
	advanceLife = time.Second
	// advanceShare is the part of a rule's calls that are counted in advance at most: one in so many.
	advanceShare = 20
	// mostAdvance bounds it for generous rules.
	mostAdvance = 100
	// mostAdvances bounds the accounts that are remembered; when there are more, all are forgotten.
	mostAdvances = 65536
)

// advance is what Redis has counted for an account that hasn't been called yet. A busy account's calls
// are counted some at a time, twice as many each time, so that they don't all cost a round trip; an
// account that calls now and then has each call counted for itself.
type advance struct {
	asked    time.Time
	taken    int      // at once, last time
	left     int      // of these
	decision Decision // what Redis said, as if none were left
}

type advances struct {
	most int // calls in advance

	mutex    sync.Mutex
	accounts map[id.User]advance
}

func newAdvances(rule Rule) *advances {
	return &advances{most: max(1, min(rule.Calls/advanceShare, mostAdvance)), accounts: map[id.User]advance{}}
}

// take makes a call that was counted before; otherwise it says how many to have counted now.
func (a *advances) take(user id.User, now time.Time) (d Decision, ok bool, count int) {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	known := a.accounts[user]
	if age := now.Sub(known.asked); age < 0 || age >= advanceLife {
		return Decision{}, false, 1
	}
	if known.left == 0 {
		return Decision{}, false, min(2*known.taken, a.most)
	}
	known.left--
	a.accounts[user] = known
	d = known.decision
	d.Remaining += known.left
	return d, true, 0
}

// put records calls that Redis has counted in advance, one of which is made now.
func (a *advances) put(user id.User, now time.Time, count int, d Decision) {
	if a.most == 1 {
		return
	}
	a.mutex.Lock()
	defer a.mutex.Unlock()
	if len(a.accounts) >= mostAdvances {
		clear(a.accounts)
	}
	a.accounts[user] = advance{asked: now, taken: count, left: count - 1, decision: d}
}
