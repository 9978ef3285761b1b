package limit

import (
	"sync"
	"time"

	"chatserver.dev/pkg/id"
)

const (
	// reservationLife is how long calls that were counted in advance are valid.
	reservationLife = time.Second
	// reservedShare limits the calls that are counted in advance to one in this many of a rule's calls.
	reservedShare = 20
	// maxReserved is the maximum number of calls that are counted in advance, whatever the rule.
	maxReserved = 100
	// maxReservations is the maximum number of accounts that are stored. If there are more, all are removed.
	maxReservations = 65536
)

// reservation is the calls of an account that Redis has counted in advance. A busy account's calls
// are counted in batches, each twice as large as the one before, so that not every call needs a round trip. The calls of
// other accounts are counted one by one, and so are those that come while a batch is being counted: a batch for each of them
// would count many calls that nobody makes.
type reservation struct {
	asked    time.Time
	asking   bool     // the next batch is being counted
	taken    int      // size of the last batch
	left     int      // of the last batch
	decision Decision // Redis's decision, as if none were left
}

type reservations struct {
	max int // calls in advance

	mutex    sync.Mutex
	accounts map[id.User]reservation
}

func newReservations(rule Rule) *reservations {
	return &reservations{max: max(1, min(rule.Calls/reservedShare, maxReserved)), accounts: map[id.User]reservation{}}
}

// take uses a call that was counted in advance. If there is none, ok is false and count is how many calls to count now.
func (r *reservations) take(user id.User, now time.Time) (d Decision, ok bool, count int) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	known := r.accounts[user]
	switch {
	case !known.isValid(now), known.left == 0 && known.asking:
		return Decision{}, false, 1
	case known.left == 0:
		known.asking = true
		r.accounts[user] = known
		return Decision{}, false, min(2*known.taken, r.max)
	}
	known.left--
	r.accounts[user] = known
	d = known.decision
	d.Remaining += known.left
	return d, true, 0
}

// put records calls that Redis has counted in advance, one of which is made now.
func (r *reservations) put(user id.User, now time.Time, count int, d Decision) {
	if r.max == 1 {
		return
	}
	r.mutex.Lock()
	defer r.mutex.Unlock()
	known := r.accounts[user]
	switch {
	case !known.isValid(now):
		known.left = 0
	case count == 1: // the others' calls stay
		return
	}
	if len(r.accounts) >= maxReservations {
		clear(r.accounts)
	}
	r.accounts[user] = reservation{asked: now, taken: count, left: known.left + count - 1, decision: d}
}

// isValid reports whether the calls that are left may be made. A concurrent call may have begun later than now.
func (r reservation) isValid(now time.Time) bool { return now.Sub(r.asked).Abs() < reservationLife }
