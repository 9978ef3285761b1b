package images

import "context"

// Limits for tests.
const (
	MaxFetches = maxFetches
	MaxPerHost = maxPerHost
	MaxPerPeer = maxPerPeer
	MaxWaiting = maxWaiting

	MaxWaitingOfPeer = maxWaitingOfPeer
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
