package images

import (
	"context"
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

// turns limits concurrent fetches. It is safe for concurrent use.
type turns struct {
	mutex   sync.Mutex
	fetches int
	hosts   map[string]int
	peers   map[string]int
	waiting int
	waits   map[string]int // the number that waits of each client address
	freed   chan struct{}  // closed when a fetch has ended; nil: no fetch waits
}

func newTurns() *turns {
	return &turns{hosts: map[string]int{}, peers: map[string]int{}, waits: map[string]int{}}
}

// take waits for a turn until ctx ends. The caller must call end at the end of the turn. The error is [errBusy], if too
// many wait already or ctx ends first.
func (t *turns) take(ctx context.Context, host, peer string) (end func(), err error) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	for t.fetches >= maxFetches || t.hosts[host] >= maxPerHost || t.peers[peer] >= maxPerPeer {
		if t.waiting >= maxWaiting || t.waits[peer] >= maxWaitingOfPeer {
			return nil, errBusy
		}
		if err := t.wait(ctx, peer); err != nil {
			return nil, errBusy.Wrap(err)
		}
	}
	t.fetches++
	t.hosts[host]++
	t.peers[peer]++
	return func() { t.end(host, peer) }, nil
}

// wait waits until a fetch or ctx ends. The mutex is held before and after, but not meanwhile.
func (t *turns) wait(ctx context.Context, peer string) error {
	if t.freed == nil {
		t.freed = make(chan struct{})
	}
	freed := t.freed
	t.waiting++
	t.waits[peer]++
	t.mutex.Unlock()
	defer func() {
		t.mutex.Lock()
		t.waiting--
		release(t.waits, peer)
	}()
	select {
	case <-freed:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (t *turns) end(host, peer string) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.fetches--
	release(t.hosts, host)
	release(t.peers, peer)
	if t.freed != nil {
		close(t.freed)
		t.freed = nil
	}
}

// release counts one less of a key.
func release(counts map[string]int, key string) {
	if counts[key]--; counts[key] == 0 {
		delete(counts, key)
	}
}
