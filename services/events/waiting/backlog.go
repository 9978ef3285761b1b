package waiting

import (
	"context"
	"sync"
)

// batch is the maximum number of items of a backlog that are worked on together.
const batch = 100

// backlog is work for a goroutine of a shard. The shard's mutex protects the items.
type backlog[T any] struct {
	items []T
	news  chan struct{} // signals that there are items; its capacity is 1
}

func newBacklog[T any]() backlog[T] { return backlog[T]{news: make(chan struct{}, 1)} }

// add adds an item; the shard's mutex is held.
func (b *backlog[T]) add(item T) {
	b.items = append(b.items, item)
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

// take removes the items of the next batch.
func (b *backlog[T]) take() []T {
	n := min(batch, len(b.items))
	items := b.items[:n:n]
	if b.items = b.items[n:]; len(b.items) == 0 {
		b.items = nil
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
