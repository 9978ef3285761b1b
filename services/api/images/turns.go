package images

import (
	"cmp"
	"context"
	"slices"
	"sync"
)

// Maximum numbers of concurrent fetches of a process. Each takes about 100 KB.
const (
	maxFetches = 64
	maxPerHost = 8  // of one other server
	maxPerPeer = 16 // for one client address, so that two of them, with slow servers, leave half to others
	maxWaiting = 256

	maxWaitingOfPeer = 32 // for one client address
)

// turns limits concurrent fetches. The next turn is for the client address with the fewest fetches. If too many calls wait, a call of
// an address with few of them takes the place of one of the address with the most. So no number of addresses, with slow servers,
// keeps others waiting for longer than a fetch. It is safe for concurrent use.
type turns struct {
	mutex   sync.Mutex
	fetches int
	hosts   map[string]int
	peers   map[string]int
	waiting []*waiter      // in the order of arrival
	waits   map[string]int // the number that waits of each client address
}

// waiter is a call that waits for its turn.
type waiter struct {
	host, peer string
	done       chan error // has a value when the call has a turn, or errBusy when it has lost its place
}

func newTurns() *turns {
	return &turns{hosts: map[string]int{}, peers: map[string]int{}, waits: map[string]int{}}
}

// take waits for a turn until ctx ends. The caller must call end at the end of the turn. The error is [errBusy], if too
// many wait already or ctx ends first.
func (t *turns) take(ctx context.Context, host, peer string) (end func(), err error) {
	w, err := t.enter(host, peer)
	if err != nil {
		return nil, err
	}
	if w != nil {
		select {
		case err = <-w.done:
		case <-ctx.Done():
			err = t.leave(w, context.Cause(ctx))
		}
		if err != nil {
			return nil, err
		}
	}
	return func() { t.end(host, peer) }, nil
}

// enter takes a turn. If none is free, it returns a waiter, or fails with [errBusy].
func (t *turns) enter(host, peer string) (*waiter, error) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	w := &waiter{host, peer, make(chan error, 1)}
	switch {
	case t.fits(w):
		t.begin(w)
		return nil, nil //nolint:nilnil // documented
	case t.waits[peer] >= maxWaitingOfPeer || len(t.waiting) >= maxWaiting && !t.displace(peer):
		return nil, errBusy
	}
	t.waiting = append(t.waiting, w)
	t.waits[peer]++
	return w, nil
}

// fits reports whether a call may have a turn.
func (t *turns) fits(w *waiter) bool {
	return t.fetches < maxFetches && t.hosts[w.host] < maxPerHost && t.peers[w.peer] < maxPerPeer
}

func (t *turns) begin(w *waiter) {
	t.fetches++
	t.hosts[w.host]++
	t.peers[w.peer]++
}

// displace makes room for a call of a client address: the last one of the address with the most waiting calls loses its place. It
// reports false if no address has more than that one will have.
func (t *turns) displace(peer string) bool {
	last := slices.MaxFunc(t.waiting, func(a, b *waiter) int { return cmp.Compare(t.waits[a.peer], t.waits[b.peer]) })
	if t.waits[last.peer] <= t.waits[peer]+1 {
		return false
	}
	for _, w := range slices.Backward(t.waiting) {
		if w.peer == last.peer {
			t.remove(w)
			w.done <- errBusy
			break
		}
	}
	return true
}

// remove removes a waiter, and reports whether it was still waiting.
func (t *turns) remove(w *waiter) bool {
	i := slices.Index(t.waiting, w)
	if i < 0 {
		return false
	}
	t.waiting = slices.Delete(t.waiting, i, i+1)
	release(t.waits, w.peer)
	return true
}

// leave ends the wait of a call because of a cause. It returns nil if the call has just got its turn.
func (t *turns) leave(w *waiter, cause error) error {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	if !t.remove(w) {
		return <-w.done
	}
	return errBusy.Wrap(cause)
}

// end ends a turn, and begins those of waiting calls.
func (t *turns) end(host, peer string) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.fetches--
	release(t.hosts, host)
	release(t.peers, peer)
	for {
		next := (*waiter)(nil)
		for _, w := range t.waiting {
			if t.fits(w) && (next == nil || t.peers[w.peer] < t.peers[next.peer]) {
				next = w
			}
		}
		if next == nil {
			return
		}
		t.remove(next)
		t.begin(next)
		next.done <- nil
	}
}

// release counts one less of a key.
func release(counts map[string]int, key string) {
	if counts[key]--; counts[key] == 0 {
		delete(counts, key)
	}
}
