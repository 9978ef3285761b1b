package dispatch

import (
	"context"
	"errors"
	"time"

	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/store"
)

// rosterTimeout is how long the other organizations of a shard wait for a roster. Reading one with 10,000 accounts and
// 60,000 subscriptions takes 100 ms and more.
const rosterTimeout = 5 * time.Millisecond

// maxReads is the maximum number of rosters that are read at a time. Others wait, so that connections to PostgreSQL, of which
// there are four, are left for the log and for payloads.
const maxReads = 2

// errLoading means that a roster is still being read, and that only its organization has to wait for it.
var errLoading = errors.New("the roster is being read")

// load is a roster that is being read.
type load struct {
	at     store.Position
	cancel context.CancelFunc
	done   chan struct{} // is closed when roster and err are set
	roster *roster
	err    error
}

// ended reports whether reading has ended.
func (l *load) ended() bool {
	select {
	case <-l.done:
		return true
	default:
		return false
	}
}

// load begins to read an organization's roster at a position.
func (s *session) load(ctx context.Context, org id.Org, at store.Position) *load {
	s.forget(org)
	ctx, cancel := context.WithCancel(ctx)
	l := &load{at: at, cancel: cancel, done: make(chan struct{})}
	s.loads[org] = l
	s.loading.Go(func() {
		defer cancel()
		select {
		case s.reads <- struct{}{}:
			l.roster, l.err = loadRoster(ctx, s.Log, org, at)
			<-s.reads
		case <-ctx.Done():
			l.err = ctx.Err()
		}
		close(l.done)
		signal(s.loaded)
	})
	return l
}

// forget drops an organization's roster, and cancels reading it.
func (s *session) forget(org id.Org) {
	delete(s.rosters, org)
	if l := s.loads[org]; l != nil {
		l.cancel()
		delete(s.loads, org)
	}
}

// rosterBefore returns the roster before an event of a call, with its queues. It fails with [errLoading] if reading takes
// longer than the call's line may wait.
func (s *session) rosterBefore(ctx context.Context, c *call, entry store.LogEntry) (*roster, error) {
	if r := s.rosters[entry.Org]; r != nil {
		return r, nil
	}
	at := store.Position{Xid: entry.Xid, ID: entry.ID - 1}
	read := s.loads[entry.Org]
	if read == nil || read.at != at {
		read = s.load(ctx, entry.Org, at)
	}
	if !read.ended() {
		if c.line != s.main {
			return nil, errLoading
		}
		timeout := (<-chan time.Time)(nil)
		if s.mayLeave(c, entry.Org) {
			timeout = time.After(rosterTimeout)
		}
		select {
		case <-read.done:
		case <-timeout:
			return nil, errLoading
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	delete(s.loads, entry.Org)
	if read.err != nil {
		return nil, read.err
	}
	read.roster.queues = s.indexes[entry.Org]
	s.rosters[entry.Org] = read.roster
	return read.roster, nil
}

// waits reports whether the line of an organization that is behind waits for its roster.
func (s *session) waits(l *line) bool {
	read := s.loads[l.org]
	return read != nil && !read.ended()
}
