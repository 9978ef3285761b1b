// Package due carries out work that is stored in rows of all organizations, such as calls of bots. A process limits the
// number of concurrent pieces of work, in total and for each organization, and prefers the organizations with the fewest
// running ones. The more places are taken, the fewer an organization gets of the others, so that a few organizations with
// slow work delay nobody, and many of them delay others for no longer than a piece takes.
//
// Several processes may find the same piece of work: Do must claim it first.
package due

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/outage"
)

// pollPeriod is how often a process looks for work that other processes have stored or abandoned, or that has become due.
const pollPeriod = 2 * time.Second

// Work describes a kind of work. A W identifies a piece of it.
type Work[W comparable] struct {
	Max       int // maximum number of concurrent pieces
	MaxPerOrg int // maximum number of concurrent pieces of an organization
	// Org returns the organization of a piece.
	Org func(W) id.Org
	// Find returns some due pieces of each organization that has any, the longest waiting ones of an organization first.
	Find func(ctx context.Context) ([]W, error)
	// Finding logs whether Find succeeds.
	Finding *outage.Log
	// Do carries out a piece. It handles its errors, and returns soon after ctx ends. It reports whether it succeeded: after a
	// failure, the piece may still be due, so it isn't looked for at once.
	Do func(ctx context.Context, piece W) bool
	// Stored receives a value after this process has stored a piece; nil: it isn't notified.
	Stored <-chan struct{}
}

// Run carries out due pieces until ctx ends, and then waits for those that have begun.
func (w Work[W]) Run(ctx context.Context) {
	r := running[W]{Work: w, now: map[W]bool{}, of: map[id.Org]int{}, last: map[id.Org]int{}, ended: make(chan ended[W], w.Max)}
	defer r.all.Wait()
	ticker := time.NewTicker(pollPeriod)
	defer ticker.Stop()
	for stale := true; ; {
		if stale && len(r.now) < r.Max {
			stale = false
			r.look(ctx)
		}
		r.begin(ctx)
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			stale = true
		case <-r.Stored:
			stale = true
		case e := <-r.ended:
			// The next piece of this organization may have waited for it.
			stale = r.end(e.piece) && e.ok || stale
		}
	}
}

// running is the state of [Work.Run].
type running[W comparable] struct {
	Work[W]
	waiting []W // pieces that were found and haven't begun
	now     map[W]bool
	of      map[id.Org]int // number of running pieces
	last    map[id.Org]int // begun at the last beginning of a piece, of organizations with due pieces
	begun   int            // number of pieces that have begun
	ended   chan ended[W]
	all     sync.WaitGroup
}

// ended is a piece that has ended, and whether it succeeded.
type ended[W comparable] struct {
	piece W
	ok    bool
}

// look looks for due pieces.
func (r *running[W]) look(ctx context.Context) {
	found, err := r.Find(ctx)
	r.Finding.Note(ctx, err)
	r.waiting = found
	orgs := map[id.Org]bool{}
	for _, piece := range r.waiting {
		orgs[r.Org(piece)] = true
	}
	maps.DeleteFunc(r.last, func(org id.Org, _ int) bool { return !orgs[org] })
}

// begin begins waiting pieces, up to the limits: first those of the organizations with the fewest running ones, of these first those of
// the one that hasn't begun any for longest, however long others wait. An organization begins another piece only if more places are free
// than it has taken.
func (r *running[W]) begin(ctx context.Context) {
	r.waiting = slices.DeleteFunc(r.waiting, func(piece W) bool { return r.now[piece] })
	for len(r.now) < r.Max && len(r.waiting) > 0 {
		piece := slices.MinFunc(r.waiting, func(a, b W) int { // the first of several
			return cmp.Or(r.of[r.Org(a)]-r.of[r.Org(b)], r.last[r.Org(a)]-r.last[r.Org(b)])
		})
		org := r.Org(piece)
		if r.of[org] >= min(r.MaxPerOrg, r.Max-len(r.now)) {
			return
		}
		r.waiting = slices.DeleteFunc(r.waiting, func(other W) bool { return other == piece })
		r.now[piece] = true
		r.of[org]++
		r.begun++
		r.last[org] = r.begun
		r.all.Go(func() {
			r.ended <- ended[W]{piece, r.Do(ctx, piece)}
		})
	}
}

// end records the end of a piece, and reports whether no other piece of its organization waits.
func (r *running[W]) end(piece W) bool {
	org := r.Org(piece)
	delete(r.now, piece)
	if r.of[org]--; r.of[org] == 0 {
		delete(r.of, org)
	}
	return !slices.ContainsFunc(r.waiting, func(other W) bool { return r.Org(other) == org })
}
