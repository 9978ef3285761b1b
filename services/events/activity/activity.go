// Package activity records which organizations had events recently. Work for a large organization pauses while others
// are active, so that they get processor time: the dispatcher pauses between its calls, and the waiting room between
// the chunks of a wave.
package activity

import (
	"sync"
	"time"

	"chatserver.dev/pkg/id"
)

// Lately is how long an organization counts as active after an event.
const Lately = 250 * time.Millisecond

// Recent has the organization that had an event last, the time of that event, and the time of the last event of any
// other organization. It is safe for concurrent use; the zero value has no events.
type Recent struct {
	mutex    sync.Mutex
	org      id.Org
	at       time.Time
	othersAt time.Time
}

// Note records an event of an organization.
func (r *Recent) Note(org id.Org, now time.Time) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if org != r.org {
		r.org, r.othersAt = org, r.at
	}
	r.at = now
}

// Besides reports whether an organization other than org had an event within [Lately].
func (r *Recent) Besides(org id.Org, now time.Time) bool {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	last := r.at
	if org == r.org {
		last = r.othersAt
	}
	return now.Sub(last) < Lately
}
