package images

import (
	"sync"
	"time"
)

const (
	// failureTime is how long an address that failed isn't fetched again.
	failureTime = 30 * time.Second
	// maxFailures is the maximum number of stored failures, of about 2 KB each.
	maxFailures = 2048
)

// failures are the addresses that failed recently, so that only one reader waits for a server that doesn't respond. It
// is safe for concurrent use.
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
	return f.now().Before(f.until[address])
}

func (f *failures) note(address string) {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	now := f.now()
	if now.Before(f.until[address]) {
		return // otherwise an address with many readers would never be fetched again
	}
	if len(f.until) >= maxFailures {
		clear(f.until)
	}
	f.until[address] = now.Add(failureTime)
}
