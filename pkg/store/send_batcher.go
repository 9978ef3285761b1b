package store

import (
	"context"
	"slices"
	"sync"
	"time"
)

const (
	// maxTransactions is how many transactions store messages concurrently. Messages that arrive meanwhile wait for the
	// next one and share it (group commit): the busier the server, the less each message costs.
	maxTransactions = 2
	// maxBatch is how many messages one transaction stores.
	maxBatch = 32
)

// sendBatcher stores messages of concurrent senders together. A sender stores its message at once while fewer than
// maxTransactions are open. Otherwise it waits, and the first waiting sender stores the messages of all. The zero value
// is ready to use.
type sendBatcher struct {
	mutex   sync.Mutex
	running int
	waiting []*sending
}

// do returns when s is stored, by the caller or by another sender. store has the time limit. do fails if ctx ends before
// storing starts, or with [ErrSlow] if that takes too long.
func (b *sendBatcher) do(ctx context.Context, s *sending, limit time.Duration, store func(context.Context, []*sending)) error {
	if !b.enter(s) {
		if err := b.wait(ctx, s, 2*limit); err != nil {
			return err
		}
	}
	if s.batch == nil {
		return nil
	}
	defer b.pass()
	stored := false
	defer func() {
		for _, other := range s.batch {
			if !stored { // store has panicked
				other.err = ErrUnsure
			}
			if other != s {
				close(other.ready)
			}
		}
	}()
	// Other senders wait for it, too, so it isn't canceled with the caller.
	bounded, cancel := context.WithTimeout(context.WithoutCancel(ctx), limit)
	defer cancel()
	store(bounded, s.batch)
	stored = true
	return nil
}

// wait returns when s is stored or has a batch to store.
func (b *sendBatcher) wait(ctx context.Context, s *sending, limit time.Duration) error {
	var late error
	select {
	case <-s.ready:
		return nil
	case <-ctx.Done():
		late = ctx.Err()
	case <-time.After(limit):
		late = ErrSlow
	}
	if b.leave(s) {
		return late
	}
	<-s.ready
	return nil
}

// enter makes s a batch of its own, or adds it to the waiting ones.
func (b *sendBatcher) enter(s *sending) (isFirst bool) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	if b.running == maxTransactions {
		b.waiting = append(b.waiting, s)
		return false
	}
	b.running++
	s.batch = []*sending{s}
	return true
}

// leave removes s from the waiting ones. It reports false if s is in a batch already.
func (b *sendBatcher) leave(s *sending) bool {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	at := slices.Index(b.waiting, s)
	if at < 0 {
		return false
	}
	b.waiting = slices.Delete(b.waiting, at, at+1)
	return true
}

// pass makes the waiting messages the next batch, or frees the transaction's slot if there are none.
func (b *sendBatcher) pass() {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	n := min(len(b.waiting), maxBatch)
	if n == 0 {
		b.running--
		return
	}
	next := slices.Clone(b.waiting[:n])
	b.waiting = slices.Delete(b.waiting, 0, n)
	next[0].batch = next
	close(next[0].ready)
}
