package images

import (
	"sync"
	"time"
)

const (
	// failureTime is how long nobody asks again for what couldn't be had.
	failureTime = 30 * time.Second
	// mostFailures bounds what is remembered of it, at about 2 KB each.
	mostFailures = 2048
)

// failures are addresses that had no image a moment ago: a server that doesn't answer is waited for once, not by
// every reader. It is safe for concurrent use.
type failures struct {
	now func() time.Time

	mutex sync.Mutex
	until map[string]time.Time
}

func newFailures(now func() time.Time) *failures {
	return &failures{now: now, until: map[string]time.Time{}}
}

func (f *failures) has(address string) bool {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	until, ok := f.until[address]
	return ok && f.now().Before(until)
}

func (f *failures) note(address string) {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	now := f.now()
	if until, ok := f.until[address]; ok && now.Before(until) {
		return
	}
	if len(f.until) >= mostFailures {
		clear(f.until)
	}
	f.until[address] = now.Add(failureTime)
}
