package images

import (
	"context"
	"time"
)

// Limits for tests.
const (
	MaxFetches = maxFetches
	MaxPerHost = maxPerHost
	MaxPerPeer = maxPerPeer
	MaxWaiting = maxWaiting

	MaxWaitingOfPeer = maxWaitingOfPeer

	MaxFailures = maxFailures
)

// ErrBusy is the error if too many images are being fetched.
var ErrBusy = errBusy

// Turns limits fetches.
type Turns struct{ *turns }

// NewTurns makes a Turns.
func NewTurns() Turns { return Turns{newTurns()} }

// Take waits for a turn.
func (t Turns) Take(ctx context.Context, host, peer string) (end func(), err error) {
	return t.take(ctx, host, peer)
}

// Waiting returns the number of waiting calls.
func (t Turns) Waiting() int {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	return len(t.waiting)
}

// Known returns the number of hosts and clients with a turn, and of clients that wait.
func (t Turns) Known() int {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	return len(t.hosts) + len(t.peers) + len(t.waits)
}

// Failures remembers addresses that failed.
type Failures struct{ *failures }

// NewFailures makes a Failures.
func NewFailures(now func() time.Time) Failures { return Failures{newFailures(now)} }

// Note remembers an address.
func (f Failures) Note(address string) { f.note(address) }

// Has reports whether an address is remembered.
func (f Failures) Has(address string) bool { return f.has(address) }

// Len returns the number of remembered addresses.
func (f Failures) Len() int {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	return len(f.until)
}
