package dispatch

import (
	"cmp"
	"context"
	"slices"
	"time"

	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/queue"
	"chatserver.dev/pkg/store"
)

const (
	// fairShare is the maximum work that the main line does for an organization before it reaches the end of the log;
	// with more, the organization is left behind. Each event counts as one, and each append to a queue.
	fairShare = 2 * queue.MaxAppends
	// maxBehind is the maximum number of organizations of a shard that can be behind. Beyond it, the main line waits
	// for a busy organization.
	maxBehind = 16
	// behindLimit is the maximum number of events in memory of an organization that is behind.
	behindLimit = 100
	// restFactor is the pause after a call for an organization that is behind, as a multiple of the call's duration;
	// mostRest is its maximum. Events of other organizations share the processors with these calls, and with the polls
	// that they answer.
	restFactor = 2
	mostRest   = 25 * time.Millisecond
)

// line is a part of the shard's log that is dispatched in order.
type line struct {
	org     id.Org // the organization whose events these are; 0: all organizations that aren't behind
	at      queue.Place
	entries []store.LogEntry // the next events
	read    store.Position   // up to here, entries has all events of the line
	oldest  time.Time        // when the oldest known event that isn't dispatched was created; zero: there is none
	// alone: each event has its own call, since one of them can't be delivered.
	alone bool
	// rest are the queues that the next event still has to enter, if it has entered others; nil: not known.
	rest []delivery
}

func newLine(org id.Org, at queue.Place) *line { return &line{org: org, at: at, read: at.After()} }

// isWithin reports whether a call of this session has appended an event to some of its queues, but not to all.
func (l *line) isWithin(entry store.LogEntry) bool {
	return l.rest != nil && l.at.Position == entry.Position
}

// took sets the remaining events.
func (l *line) took(entries []store.LogEntry) {
	if l.entries = entries; len(entries) > 0 {
		l.oldest = entries[0].Created
	} else if l.org == 0 {
		l.oldest = time.Time{}
	}
}

// read reads the main line's next events. full means that the log has more events; more, that an open transaction holds
// back later events.
func (s *session) read(ctx context.Context, start time.Time) (full, more bool, err error) {
	log, end := s.Log.Of(s.cursor.Incarnation), store.Position{}
	without := make([]id.Org, len(s.behind))
	for i, l := range s.behind {
		without[i] = l.org
	}
	if len(without) > 0 {
		// Events up to end either are read now or belong to organizations that are behind. The main line never reads
		// the latter.
		if end, err = log.End(ctx); err != nil {
			return false, false, err
		}
	}
	limit := readLimit
	if s.heldBack {
		limit = 1 // the same events would be read every few milliseconds; when the first can be read, others are at once
	}
	entries, more, err := log.Read(ctx, s.shard, s.main.at.After(), limit, without...)
	if err != nil {
		return false, false, err
	}
	full, s.heldBack = store.IsFull(entries, limit), more && len(entries) == 0
	s.main.alone = s.tries > 0
	s.main.took(entries)
	s.main.read = s.main.at.Position
	if len(entries) > 0 {
		s.main.read = entries[len(entries)-1].Position
	}
	if !full && s.main.read.Before(end) {
		s.main.read = end
	}
	if len(entries) == 0 && s.main.at.Before(s.main.read) {
		s.main.at = queue.Place{Position: s.main.read} // written by the next call
	}
	switch {
	case full:
		s.unreadSince = entries[len(entries)-1].Created // later events aren't older
	case !more:
		s.unreadSince = time.Time{}
	case len(entries) > 0 || s.unreadSince.IsZero():
		s.unreadSince = start // the exact time isn't known
	}
	s.noteOldest()
	return full, more, nil
}

// readOf reads the next events of an organization that is behind, up to the main line's place.
func (s *session) readOf(ctx context.Context, l *line) error {
	entries, err := s.Log.Of(s.cursor.Incarnation).ReadOf(ctx, l.org, l.at.After(), s.main.at.Position, behindLimit)
	if err != nil {
		return err
	}
	if l.read = s.main.at.Position; store.IsFull(entries, behindLimit) {
		l.read = entries[len(entries)-1].Position
	}
	l.alone = s.tries > 0
	l.took(entries)
	return nil
}

// turns makes calls for the organizations that are behind, in turns, until none is behind or until due. It returns true
// if news ended it early.
func (s *session) turns(ctx context.Context, due time.Time, news <-chan struct{}) (woken bool, err error) {
	for len(s.behind) > 0 && ctx.Err() == nil {
		next := s.rested
		if due.Before(next) || !slices.ContainsFunc(s.behind, func(l *line) bool { return !s.waits(l) }) {
			next = due
		}
		if woken := s.wait(ctx, next, news); woken || !s.Now().Before(due) {
			return woken, nil
		}
		if err := s.turn(ctx); err != nil {
			return false, err
		}
	}
	return false, nil
}

// wait waits until a time, until a roster has been read, or until it receives from news, which may be nil. It reports
// whether it received from news.
func (s *session) wait(ctx context.Context, until time.Time, news <-chan struct{}) bool {
	select {
	case <-news:
		return true
	default:
	}
	early := until.Sub(s.Now())
	if early <= 0 {
		return false
	}
	select {
	case <-news:
		return true
	case <-ctx.Done():
	case <-time.After(early):
	case <-s.loaded:
	}
	return false
}

// turn makes one call for the next organization that is behind, if there is one and the pause after the previous call
// is over.
func (s *session) turn(ctx context.Context) error {
	start := s.Now()
	i := slices.IndexFunc(s.behind, func(l *line) bool { return !s.waits(l) })
	if i < 0 || start.Before(s.rested) {
		return nil
	}
	l := s.behind[i]
	s.behind = append(slices.Delete(s.behind, i, i+1), l)
	if len(l.entries) == 0 && s.indexes[l.org] != nil && l.read.Before(s.main.at.Position) {
		if err := s.readOf(ctx, l); err != nil {
			return err
		}
	}
	if len(l.entries) == 0 && len(s.main.entries) > 0 && s.indexes[l.org] != nil {
		return nil // it has caught up, as far as it can during a batch
	}
	err := s.advance(ctx, l)
	if now := s.Now(); s.active.Besides(l.org, now) {
		s.rested = now.Add(min(restFactor*now.Sub(start), mostRest))
	}
	return err
}

// leavesBehind reports whether the main line leaves an organization behind before its next event, which is for that
// many queues.
func (s *session) leavesBehind(c *call, org id.Org, queues int) bool {
	return s.spent[org]+1+queues > fairShare && s.mayLeave(c, org)
}

// mayLeave reports whether a call can leave an organization behind. It can't if no other organization has a
// queue: none would benefit.
func (s *session) mayLeave(c *call, org id.Org) bool {
	if c.line != s.main || len(s.behind)+len(c.left) == maxBehind {
		return false
	}
	others := len(s.indexes)
	if s.indexes[org] != nil {
		others--
	}
	return others > 0
}

// isBehind reports whether the main line skips an organization's events after a call.
func (s *session) isBehind(c *call, org id.Org) bool {
	ofOrg := func(l *line) bool { return l.org == org }
	return slices.ContainsFunc(s.behind, ofOrg) || slices.ContainsFunc(c.left, ofOrg)
}

// cursorAfter returns the shard's cursor after a call.
func (s *session) cursorAfter(c *call) queue.Cursor {
	to := queue.Cursor{Incarnation: s.cursor.Incarnation, Place: s.main.at}
	if c.line == s.main {
		to.Place = c.at
	}
	for _, l := range slices.Concat(s.behind, c.left) {
		switch {
		case l != c.line:
			to.Behind = append(to.Behind, queue.Behind{Org: l.org, Place: l.at})
		case !c.last:
			to.Behind = append(to.Behind, queue.Behind{Org: l.org, Place: c.at})
		}
	}
	slices.SortFunc(to.Behind, func(a, b queue.Behind) int { return cmp.Compare(a.Org, b.Org) })
	return to
}

// done moves the lines to their places after a call.
func (s *session) done(c *call) {
	s.cursor = c.to
	c.line.at, c.line.rest = c.at, c.rest
	c.line.took(c.line.entries[c.count:])
	s.behind = append(s.behind, c.left...)
	if c.last {
		s.behind = slices.DeleteFunc(s.behind, func(l *line) bool { return l == c.line })
		s.LogNews(s.shard) // the organization's events after the main line's place haven't been read
	}
	s.noteOldest()
}
