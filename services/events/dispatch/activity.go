package dispatch

import (
	"sync"
	"time"

	"chatserver.dev/pkg/id"
)

// othersFor is how long an organization counts as active after an event.
const othersFor = 250 * time.Millisecond

// activity is which organization had an event last, in any shard that is dispatched here, and when the last one of all
// others was. It is safe for concurrent use.
type activity struct {
	mutex    sync.Mutex
	org      id.Org
	at       time.Time
	othersAt time.Time
}

func (a *activity) note(org id.Org, now time.Time) {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	if org != a.org {
		a.org, a.othersAt = org, a.at
	}
	a.at = now
}

// besides reports whether another organization than org had an event lately.
func (a *activity) besides(org id.Org, now time.Time) bool {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	last := a.at
	if org == a.org {
		last = a.othersAt
	}
	return now.Sub(last) < othersFor
}
