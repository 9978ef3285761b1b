package limit

import (
	"sync"
	"time"

	"chatserver.dev/pkg/id"
)

const (
	// advanceLife is how long calls that were counted in advance are valid.
	advanceLife = time.Second
	// advanceShare limits the calls that are counted in advance to one in this many of a rule's calls.
	advanceShare = 20
	// maxAdvance is the maximum number of calls that are counted in advance, whatever the rule.
	maxAdvance = 100
	// maxAdvances is the maximum number of accounts that are stored. If there are more, all are removed.
	maxAdvances = 65536
)

// advance is the calls of an account that Redis has counted in advance. A busy account's calls
// are counted in batches, each twice as large as the one before, so that not every call needs a round trip. The calls of
// other accounts are counted one by one.
type advance struct {
	asked    time.Time
	taken    int      // size of the last batch
	left     int      // of the last batch
	decision Decision // Redis's decision, as if none were left
}

type advances struct {
	most int // calls in advance

	mutex    sync.Mutex
	accounts map[id.User]advance
}

func newAdvances(rule Rule) *advances {
	return &advances{most: max(1, min(rule.Calls/advanceShare, maxAdvance)), accounts: map[id.User]advance{}}
}

// take uses a call that was counted in advance. If there is none, ok is false and count is how many calls to count now.
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
	if len(a.accounts) >= maxAdvances {
		clear(a.accounts)
	}
	a.accounts[user] = advance{asked: now, taken: count, left: count - 1, decision: d}
}
