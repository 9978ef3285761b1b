package user

import (
	"context"
	"crypto/sha256"
	"time"

	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/store/sqlc"
)

// How keys are looked up that nothing is known of. Whoever sends keys of nobody sends as many as they like: they
// get few questions at a time, each about all keys that have gathered, and no place among the keys of accounts.
const (
	// mostAsking is how many questions are under way, and mostInBatch about how many keys one is.
	mostAsking  = 2
	mostInBatch = 256
	// mostInLine bounds the keys that wait.
	mostInLine = 16384
	// rejectMost bounds the keys that are remembered as nobody's, for a second or so each.
	rejectMost = 4096
)

var errLine = fault.New(fault.Unavailable, fault.CodeNone, "Too many API keys are being looked up: try again in a few seconds")

// lookup is a key that is looked up, and the entry to fill in.
type lookup struct {
	hash  [sha256.Size]byte
	entry *known
}

// claim returns the entry of a key that nothing fresh is known of, which will be filled in.
func (a *Authenticator) claim(ctx context.Context, hash [sha256.Size]byte, now time.Time) (*known, error) {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	if k := a.remembered(hash, now); k != nil {
		return k, nil
	}
	if len(a.line) >= mostInLine {
		return nil, errLine
	}
	entry := &known{asked: now, done: make(chan struct{})}
	a.pending[hash] = entry
	a.line = append(a.line, lookup{hash, entry})
	if a.asking < mostAsking {
		a.asking++
		// On a stack of its own: long polls keep theirs for a minute, and it must stay small. Others wait for
		// it, so the end of this caller's request doesn't stop it.
		go a.ask(context.WithoutCancel(ctx))
	}
	return entry, nil
}

// ask fills in the entries in line until there are none.
func (a *Authenticator) ask(ctx context.Context) {
	for batch := a.next(); len(batch) > 0; batch = a.next() {
		a.fill(ctx, batch)
	}
}

// next takes the next keys out of the line.
func (a *Authenticator) next() []lookup {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	n := min(mostInBatch, len(a.line))
	batch := a.line[:n:n]
	if a.line = a.line[n:]; n == 0 {
		a.line = nil
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
		a.describe(batch[row.Place-1].entry, row)
	}
	a.keep(batch)
}

// describe fills in an entry of a key that is an account's.
func (a *Authenticator) describe(entry *known, row sqlc.AuthenticateRow) {
	entry.caller, entry.refused, entry.err = a.caller(row)
	entry.owner = id.User(row.OwnerID)
	if row.KeyEnds.Unix() != 0 {
		entry.ends = row.KeyEnds
	}
	entry.userChanged, entry.orgChanged, entry.ownerChanged = row.UserChangedAt, row.OrgChangedAt, row.OwnerChangedAt
}

// keep remembers entries that are filled in, unless something has changed meanwhile.
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
			if len(a.rejected) >= rejectMost {
				clear(a.rejected)
			}
			a.rejected[l.hash] = l.entry
		default:
			if len(a.known) >= rememberMost {
				a.forget(l.entry.asked)
			}
			a.known[l.hash] = l.entry
		}
	}
}

// forget makes room: what is too old goes, and everything if that isn't half of it, so that the
// next call is far away.
func (a *Authenticator) forget(now time.Time) {
	for hash, k := range a.known {
		if !a.good(k, now) {
			delete(a.known, hash)
		}
	}
	if len(a.known) > rememberMost/2 {
		clear(a.known)
	}
}
