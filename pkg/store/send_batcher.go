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
	// enough is how many messages must be waiting for a transaction to begin beside another one. Fewer wait for its end, but
	// no longer than patience: half of the cost of a small transaction doesn't depend on how many they are.
	enough   = 8
	patience = 4 * time.Millisecond
	// maxBatch is how many messages one transaction stores.
	maxBatch = 32
)

// sendBatcher stores messages of concurrent senders together. A sender stores its message at once if no transaction is open.
// Otherwise it waits, and one of those that wait stores the messages of all. The zero value is ready to use.
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
	for end, impatient := time.After(limit), time.After(patience); late == nil; {
		select {
		case <-s.ready:
			return nil
		case <-impatient:
			if b.begin(s) {
				return nil
			}
		case <-ctx.Done():
			late = ctx.Err()
		case <-end:
			late = ErrSlow
		}
	}
	if b.leave(s) {
		return late
	}
	<-s.ready
	return nil
}

// enter adds s to the waiting messages, and makes s store them if a transaction may begin.
func (b *sendBatcher) enter(s *sending) (stores bool) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	b.waiting = append(b.waiting, s)
	return b.mayBegin() && b.take(s)
}

// begin makes s store the waiting messages, if s still waits and there is a slot for another transaction. Otherwise it waits
// for such a slot.
func (b *sendBatcher) begin(s *sending) (stores bool) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	s.impatient = true
	return b.running < maxTransactions && b.take(s)
}

// mayBegin reports whether a transaction for the waiting messages, of which there is at least one, may begin beside those that
// are open.
func (b *sendBatcher) mayBegin() bool {
	return b.running == 0 || b.running < maxTransactions && (len(b.waiting) >= enough || b.waiting[0].impatient)
}

// take makes waiting messages, s among them, the batch that s stores. It reports false if s doesn't wait.
func (b *sendBatcher) take(s *sending) bool {
	at := slices.Index(b.waiting, s)
	if at < 0 {
		return false
	}
	first := max(0, at+1-maxBatch)
	last := min(len(b.waiting), first+maxBatch)
	s.batch = slices.Clone(b.waiting[first:last])
	b.waiting = slices.Delete(b.waiting, first, last)
	b.running++
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

// pass frees the transaction's slot, and lets the first of the waiting senders begin the next one, if it may.
func (b *sendBatcher) pass() {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	b.running--
	if len(b.waiting) == 0 || !b.mayBegin() {
		return
	}
	next := b.waiting[0]
	b.take(next)
	close(next.ready)
}
