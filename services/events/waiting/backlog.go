package waiting

import (
	"context"
	"slices"
	"sync"

	"chatserver.dev/pkg/id"
)

// batch is the maximum number of items of a backlog that are worked on together.
const batch = 100

// backlog is work for a goroutine of a shard. Organizations take turns, so that an organization whose clients all come
// at the same time delays others by a batch at most. The shard's mutex protects the items.
type backlog[T any] struct {
	org   func(item T) id.Org
	items map[id.Org][]T
	turns []id.Org      // the organizations with items; the first has the next turn
	news  chan struct{} // signals that there are items; its capacity is 1
}

func newBacklog[T any](org func(item T) id.Org) backlog[T] {
	return backlog[T]{org: org, items: map[id.Org][]T{}, news: make(chan struct{}, 1)}
}

// add adds an item; the shard's mutex is held.
func (b *backlog[T]) add(item T) {
	org := b.org(item)
	if b.items[org] = append(b.items[org], item); len(b.items[org]) == 1 {
		b.turns = append(b.turns, org)
	}
	notify(b.news)
}

// putBack adds items that were taken and are still to be worked on, before all others. The shard's mutex is held.
func (b *backlog[T]) putBack(items []T) {
	first, of := []id.Org(nil), map[id.Org][]T{}
	for _, item := range items {
		org := b.org(item)
		if of[org] = append(of[org], item); len(of[org]) == 1 {
			first = append(first, org)
		}
	}
	for org, items := range of {
		b.items[org] = append(items, b.items[org]...)
	}
	b.turns = append(first, slices.DeleteFunc(b.turns, func(org id.Org) bool { return of[org] != nil })...)
	notify(b.news)
}

// work calls do with the items, in batches, until ctx ends: all that are added during a call are in the next batch. do owns
// the slice. mutex is the shard's.
func (b *backlog[T]) work(ctx context.Context, mutex *sync.Mutex, do func(items []T)) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-b.news:
		}
		for ctx.Err() == nil {
			mutex.Lock()
			items := b.take()
			mutex.Unlock()
			if len(items) == 0 {
				break
			}
			do(items)
		}
	}
}

// take removes the items of the next batch: one of each organization in turn.
func (b *backlog[T]) take() (items []T) {
	for len(items) < batch && len(b.turns) > 0 {
		org := b.turns[0]
		b.turns = b.turns[1:]
		of := b.items[org]
		items = append(items, of[0])
		if b.items[org] = of[1:]; len(of) > 1 {
			b.turns = append(b.turns, org)
		} else {
			delete(b.items, org)
		}
	}
	return items
}

// notify wakes the receiver of news, and doesn't block: one signal is enough.
func notify(news chan<- struct{}) {
	select {
	case news <- struct{}{}:
	default:
	}
}
