package images

import "context"

// What tests know of the bounds.
const (
	MostFetches = mostFetches
	MostOfHost  = mostOfHost
	MostOfPeer  = mostOfPeer
	MostWaiting = mostWaiting
)

// ErrBusy is what fails where too many images are being fetched.
var ErrBusy = errBusy

// Turns bound fetches.
type Turns struct{ *turns }

// NewTurns makes them.
func NewTurns() Turns { return Turns{newTurns()} }

// Take waits for a turn.
func (t Turns) Take(ctx context.Context, host, peer string) (end func(), err error) {
	return t.take(ctx, host, peer)
}

// Waiting is how many wait.
func (t Turns) Waiting() int {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	return t.waiting
}

// Known is how many hosts and clients have a turn.
func (t Turns) Known() int {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	return len(t.hosts) + len(t.peers)
}
