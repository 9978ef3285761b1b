package limit

import (
	"context"
	"sync"
)

// Turns limits how much is done at a time in this process, in all and for each key, such as an organization. What waits takes turns by
// key, so a key with much to do delays the others by one thing of its own at most. It is safe for concurrent use.
type Turns[K comparable] struct {
	places    chan struct{} // has an element for each caller whose turn it is
	maxPerKey int

	mutex sync.Mutex
	by    map[K]*turnsOfKey // keys with callers
}

type turnsOfKey struct {
	next    chan struct{} // has an element for each caller whose turn it is, or that waits for one of the places
	callers int
}

// NewTurns returns a limit of at most all things at a time, and of at most maxPerKey for each key. Both are positive.
func NewTurns[K comparable](all, maxPerKey int) *Turns[K] {
	return &Turns[K]{places: make(chan struct{}, all), maxPerKey: maxPerKey, by: map[K]*turnsOfKey{}}
}

// Max returns how much is done at a time in all.
func (t *Turns[K]) Max() int { return cap(t.places) }

// Take waits until it is the turn of a caller for a key. The caller must call end afterwards. false: ctx ended first.
func (t *Turns[K]) Take(ctx context.Context, key K) (end func(), ok bool) {
	own := t.enter(key)
	select {
	case own.next <- struct{}{}:
	case <-ctx.Done():
		t.leave(key)
		return nil, false
	}
	select {
	case t.places <- struct{}{}:
	case <-ctx.Done():
		<-own.next
		t.leave(key)
		return nil, false
	}
	return func() {
		<-t.places
		<-own.next
		t.leave(key)
	}, true
}

func (t *Turns[K]) enter(key K) *turnsOfKey {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	own := t.by[key]
	if own == nil {
		own = &turnsOfKey{next: make(chan struct{}, t.maxPerKey)}
		t.by[key] = own
	}
	own.callers++
	return own
}

func (t *Turns[K]) leave(key K) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	if own := t.by[key]; own.callers > 1 {
		own.callers--
	} else {
		delete(t.by, key)
	}
}
