package lmtp

import (
	"context"
	"slices"
	"sync"
)

// room limits the number of mails in memory. A free place goes to the waiting client that has the fewest places, however many of
// another client's mails wait. It is safe for concurrent use.
type room struct {
	mutex   sync.Mutex
	free    int            // 0 while mails wait
	taken   map[string]int // number of places by client
	waiting []*arrival
}

// arrival is a mail that waits for a place.
type arrival struct {
	client string
	enters chan struct{} // closed when it has a place
}

func newRoom(places int) *room { return &room{free: places, taken: map[string]int{}} }

// enter waits for a place for a mail of a client until ctx ends. Unless it fails, the caller must call leave.
func (r *room) enter(ctx context.Context, client string) error {
	a := r.arrive(client)
	if a == nil {
		return nil
	}
	select {
	case <-a.enters:
		return nil
	case <-ctx.Done():
	}
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if i := slices.Index(r.waiting, a); i >= 0 {
		r.waiting = slices.Delete(r.waiting, i, i+1)
		return ctx.Err()
	}
	return nil // it has just got its place
}

// arrive takes a place. If none is free, it returns an arrival at the end of the queue.
func (r *room) arrive(client string) *arrival {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if r.free > 0 {
		r.free--
		r.taken[client]++
		return nil
	}
	a := &arrival{client, make(chan struct{})}
	r.waiting = append(r.waiting, a)
	return a
}

// leave ends the use of a client's place.
func (r *room) leave(client string) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if r.taken[client]--; r.taken[client] == 0 {
		delete(r.taken, client)
	}
	if len(r.waiting) == 0 {
		r.free++
		return
	}
	next := slices.MinFunc(r.waiting, func(a, b *arrival) int { return r.taken[a.client] - r.taken[b.client] }) // the first of several
	i := slices.Index(r.waiting, next)
	r.waiting = slices.Delete(r.waiting, i, i+1)
	r.taken[next.client]++
	close(next.enters)
}
