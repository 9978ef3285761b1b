package user

import (
	"context"
	"crypto/sha256"
	"time"

	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/store/sqlc"
)

// Limits of lookups of keys that aren't cached. A client can send any number of invalid keys, so there are few concurrent
// queries, each for many queued keys, and invalid keys don't evict those of accounts.
const (
	// maxLookups is the maximum number of concurrent queries, and maxBatch that of keys in each.
	maxLookups = 2
	maxBatch   = 256
	// maxQueued is the maximum number of queued keys.
	maxQueued = 16384
	// maxRejected is the maximum number of cached invalid keys, for about a second each.
	maxRejected = 4096
)

var errQueueFull = fault.Limit(fault.CodeNone, "Too many API keys are being looked up: try again in a few seconds")

// lookup is a queued key, and the entry to fill in.
type lookup struct {
	hash  [sha256.Size]byte
	entry *cacheEntry
}

// claim returns a pending entry for a key that isn't cached.
func (a *Authenticator) claim(ctx context.Context, hash [sha256.Size]byte, now time.Time) (*cacheEntry, error) {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	if k := a.remembered(hash, now); k != nil {
		return k, nil
	}
	if len(a.queue) >= maxQueued {
		return nil, errQueueFull
	}
	entry := &cacheEntry{asked: now, done: make(chan struct{})}
	a.pending[hash] = entry
	a.queue = append(a.queue, lookup{hash, entry})
	if a.asking < maxLookups {
		a.asking++
		// Other callers wait for it, too, so it isn't canceled with this one.
		go a.ask(context.WithoutCancel(ctx))
	}
	return entry, nil
}

// ask fills in the queued entries until there are none.
func (a *Authenticator) ask(ctx context.Context) {
	for batch := a.next(); len(batch) > 0; batch = a.next() {
		a.fill(ctx, batch)
	}
}

// next takes the next keys off the queue.
func (a *Authenticator) next() []lookup {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	n := min(maxBatch, len(a.queue))
	batch := a.queue[:n:n]
	if a.queue = a.queue[n:]; n == 0 {
		a.queue = nil
		a.asking--
	}
	return batch
}

// fill fills in entries from the database.
func (a *Authenticator) fill(ctx context.Context, batch []lookup) {
	ctx, cancel := context.WithTimeout(ctx, queryTimeout)
	defer cancel()
	hashes := make([][]byte, len(batch))
	for i, l := range batch {
		hashes[i] = l.hash[:]
	}
	rows, err := a.db.Authenticate(ctx, hashes)
	for _, l := range batch {
		l.entry.refused, l.entry.err = fault.ErrInvalidKey, err
	}
	for _, row := range rows {
		l := batch[row.Place-1]
		a.describe(l.entry, row)
		l.entry.caller.Key = l.hash
	}
	a.keep(batch)
}

// describe fills in the entry of a valid key.
func (a *Authenticator) describe(entry *cacheEntry, row sqlc.AuthenticateRow) {
	entry.caller, entry.refused, entry.err = a.caller(row)
	entry.owner = id.User(row.OwnerID)
	if row.KeyEnds.Unix() != 0 {
		entry.ends = row.KeyEnds
	}
	entry.userChanged, entry.orgChanged, entry.ownerChanged = row.UserChangedAt, row.OrgChangedAt, row.OwnerChangedAt
}

// keep caches entries that are filled in, unless their accounts have changed meanwhile.
func (a *Authenticator) keep(batch []lookup) {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	for _, l := range batch {
		close(l.entry.done)
		if a.pending[l.hash] != l.entry {
			continue
		}
		delete(a.pending, l.hash)
		switch {
		case l.entry.err != nil:
		case l.entry.caller.Org() == 0:
			if len(a.rejected) >= maxRejected {
				clear(a.rejected)
			}
			a.rejected[l.hash] = l.entry
		default:
			if len(a.accepted) >= maxEntries {
				a.makeRoom(l.entry.asked)
			}
			a.accepted[l.hash] = l.entry
		}
	}
}

// makeRoom removes old entries, and all of them if more than half remain, so that it is rarely called.
func (a *Authenticator) makeRoom(now time.Time) {
	for hash, k := range a.accepted {
		if !a.good(k, now) {
			delete(a.accepted, hash)
		}
	}
	if len(a.accepted) > maxEntries/2 {
		clear(a.accepted)
	}
}
