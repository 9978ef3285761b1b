package images

import (
	"context"
	"sync"
)

// Maximum numbers of concurrent fetches of a process. Each takes about 100 KB.
const (
	maxFetches = 64
	maxPerHost = 8  // of one other server
	maxPerPeer = 32 // for one client address
	maxWaiting = 256
)

// turns limits concurrent fetches. It is safe for concurrent use.
type turns struct {
	mutex   sync.Mutex
	fetches int
	hosts   map[string]int
	peers   map[string]int
	waiting int
	freed   chan struct{} // closed when a fetch has ended; nil: no fetch waits
}

func newTurns() *turns { return &turns{hosts: map[string]int{}, peers: map[string]int{}} }

// take waits for a turn until ctx ends. The caller must call end at the end of the turn. The error is [errBusy], if too
// many wait already or ctx ends first.
func (t *turns) take(ctx context.Context, host, peer string) (end func(), err error) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	for t.fetches >= maxFetches || t.hosts[host] >= maxPerHost || t.peers[peer] >= maxPerPeer {
		if t.waiting >= maxWaiting {
			return nil, errBusy
		}
		if err := t.wait(ctx); err != nil {
			return nil, errBusy.Wrap(err)
		}
	}
	t.fetches++
	t.hosts[host]++
	t.peers[peer]++
	return func() { t.end(host, peer) }, nil
}

// wait waits until a fetch or ctx ends. The mutex is held before and after, but not meanwhile.
func (t *turns) wait(ctx context.Context) error {
	if t.freed == nil {
		t.freed = make(chan struct{})
	}
	freed := t.freed
	t.waiting++
	t.mutex.Unlock()
	defer func() {
		t.mutex.Lock()
		t.waiting--
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
	if t.hosts[host]--; t.hosts[host] == 0 {
		delete(t.hosts, host)
	}
	if t.peers[peer]--; t.peers[peer] == 0 {
		delete(t.peers, peer)
	}
	if t.freed != nil {
		close(t.freed)
		t.freed = nil
	}
}
