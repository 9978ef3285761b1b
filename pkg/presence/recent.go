package presence

import (
	"sync"
	"time"

	"chatserver.dev/pkg/id"
)

const (
	// recentFor is how long a listing is reused. Each client requests it once a minute, and it has a line for each
	// person.
	recentFor = time.Second
	// maxRecent is the maximum number of lines of cached listings. If there are more, the cache drops all of them.
	maxRecent = 200_000
)

// recent caches listings for a moment. A listing may be outdated, because every change that matters also has its own
// event.
type recent struct {
	mutex    sync.RWMutex
	listings map[recentKey]recentListing
	lines    int // of all listings
}

type recentKey struct {
	org  id.Org
	form Form
}

type recentListing struct {
	Listing
	at time.Time
}

func newRecent() recent { return recent{listings: map[recentKey]recentListing{}} }

func (r *recent) get(org id.Org, form Form, now time.Time) (Listing, bool) {
	r.mutex.RLock()
	defer r.mutex.RUnlock()
	known, ok := r.listings[recentKey{org, form}]
	if age := now.Sub(known.at); !ok || age < 0 || age >= recentFor {
		return nil, false
	}
	return known.Listing, true
}

func (r *recent) put(org id.Org, form Form, listing Listing, at time.Time) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	key := recentKey{org, form}
	r.lines -= len(r.listings[key].Listing)
	if r.lines+len(listing) > maxRecent {
		clear(r.listings)
		r.lines = 0
	}
	r.listings[key] = recentListing{listing, at}
	r.lines += len(listing)
}
