// Package due does work that waits in rows of all organizations until it is done, such as calls of bots. A process does a bounded part of
// it at a time, and a bounded part of each organization's, so that one whose work is slow holds up no other.
//
// Processes may find the same work: whoever does it claims it first.
package due

import (
	"context"
	"slices"
	"sync"
	"time"

	"chatserver.dev/pkg/id"
)

// look is how often a process looks for work that others stored, or left, or that wasn't to be done before.
const look = 2 * time.Second

// Work is what is due. A W names one piece of it.
type Work[W comparable] struct {
	Most      int // pieces that are done at a time
	MostOfOrg int // pieces of an organization that are
	// Org returns whose a piece is.
	Org func(W) id.Org
	// Find returns some pieces that are due, of each organization that has any, those first that wait longest. It handles its errors.
	Find func(ctx context.Context) []W
	// Do does a piece. It handles its errors, and returns soon after ctx ends.
	Do func(ctx context.Context, piece W)
	// Stored receives something after this process stored a piece; nil: it isn't known.
	Stored <-chan struct{}
}

// Run does what is due until ctx ends, and everything that it has begun has returned.
func (w Work[W]) Run(ctx context.Context) {
	r := running[W]{Work: w, now: map[W]bool{}, of: map[id.Org]int{}, ended: make(chan W, w.Most)}
	defer r.all.Wait()
	ticker := time.NewTicker(look)
	defer ticker.Stop()
	for stale := true; ; {
		r.begin(ctx)
		if stale && len(r.now) < r.Most {
			stale, r.waiting = false, r.Find(ctx)
			r.begin(ctx)
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			stale = true
		case <-r.Stored:
			stale = true
		case piece := <-r.ended:
			// The next one of this organization may have waited for it.
			stale = r.end(piece) || stale
		}
	}
}

// running is work under way.
type running[W comparable] struct {
	Work[W]
	waiting []W // that was found and not begun
	now     map[W]bool
	of      map[id.Org]int // how many are under way
	ended   chan W
	all     sync.WaitGroup
}

// begin begins pieces that wait, as far as there is room for them.
func (r *running[W]) begin(ctx context.Context) {
	r.waiting = slices.DeleteFunc(r.waiting, func(piece W) bool {
		org := r.Org(piece)
		switch {
		case r.now[piece]:
			return true
		case len(r.now) >= r.Most || r.of[org] >= r.MostOfOrg:
			return false
		}
		r.now[piece] = true
		r.of[org]++
		r.all.Go(func() {
			r.Do(ctx, piece)
			r.ended <- piece
		})
		return true
	})
}

// end notes that a piece was done, and reports whether no other of its organization waits.
func (r *running[W]) end(piece W) bool {
	org := r.Org(piece)
	delete(r.now, piece)
	if r.of[org]--; r.of[org] == 0 {
		delete(r.of, org)
	}
	return !slices.ContainsFunc(r.waiting, func(other W) bool { return r.Org(other) == org })
}
