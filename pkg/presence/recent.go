package presence

import (
	"sync"
	"time"

	"chatserver.dev/pkg/id"
)

const (
	// recentFor is how long a listing is reused: everybody requests it once a minute, and it has a line for
	// everybody.
	recentFor = time.Second
	// mostRecent bounds the lines of the listings that are remembered; when there are more, all are forgotten.
	mostRecent = 200_000
)

// recent remembers listings for a moment. Nothing needs to be removed from it for correctness: what is news in
// a listing has its own event.
type recent struct {
	mutex    sync.RWMutex
	listings map[recentKey]recentListing
	lines    int // of all listings
}

type recentKey struct {
	org  id.Org
	want Want
}

type recentListing struct {
	Listing
	at time.Time
}

func newRecent() recent { return recent{listings: map[recentKey]recentListing{}} }

func (r *recent) get(org id.Org, want Want, now time.Time) (Listing, bool) {
	r.mutex.RLock()
	defer r.mutex.RUnlock()
	known, ok := r.listings[recentKey{org, want}]
	if age := now.Sub(known.at); !ok || age < 0 || age >= recentFor {
		return nil, false
	}
	return known.Listing, true
}

func (r *recent) put(org id.Org, want Want, listing Listing, at time.Time) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	key := recentKey{org, want}
	r.lines -= len(r.listings[key].Listing)
	if r.lines+len(listing) > mostRecent {
		clear(r.listings)
		r.lines = 0
	}
	r.listings[key] = recentListing{listing, at}
	r.lines += len(listing)
}
