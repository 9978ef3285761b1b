package dispatch

import (
	"context"
	"errors"
	"log/slog"
	"slices"

	"chatserver.dev/pkg/failpoint"
	"chatserver.dev/pkg/queue"
	"chatserver.dev/pkg/store"
)

// call is what one Redis call is going to do, and how to take back what was done here for it.
type call struct {
	to      queue.Cursor
	appends []queue.Append
	count   int
	rest    []delivery // of the last event, for the next call
	applied []func()
}

// deliver brings events to their queues.
func (s *session) deliver(ctx context.Context, entries []store.LogEntry) error {
	s.alone = s.tries > 0
	for len(entries) > 0 {
		done, err := s.deliverSome(ctx, entries)
		if reason := (undeliverable{}); errors.As(err, &reason) {
			done, err = 1, s.giveUp(ctx, entries[0], reason)
		}
		if err != nil {
			return err
		}
		entries = entries[done:]
	}
	return nil
}

// deliverSome makes one Redis call for as many of the events as fit into it, or for a part of one. It returns
// how many are done, or an [undeliverable] where the first of them can't be delivered.
func (s *session) deliverSome(ctx context.Context, entries []store.LogEntry) (done int, err error) {
	c, count, err := s.prepare(ctx, entries)
	if err != nil {
		return 0, err
	}
	s.failpoints.Meet(failpoint.BeforeDispatch)
	outcome, gone, err := s.redis.Dispatch(ctx, s.shard, s.cursor, c.to, s.version, c.appends)
	switch {
	case errors.Is(err, queue.ErrRefused) && (s.alone || len(entries) == 1):
		return 0, undeliverable{err}
	case errors.Is(err, queue.ErrRefused): // because of one of the events
		c.takeBack()
		s.alone, s.rest = true, nil
		return 0, nil
	case err != nil:
		return 0, err
	}
	switch outcome {
	case queue.CursorMoved:
		return 0, errOvertaken
	case queue.RegistryChanged:
		c.takeBack()
		s.rest = nil
		return 0, s.refresh(ctx)
	case queue.Done:
	}
	s.failpoints.Meet(failpoint.AfterDispatch)
	s.cursor, s.rest = c.to, c.rest
	if s.failing == c.to.Position && c.to.Through == 0 {
		s.tries = 0 // it was delivered after all
	}
	if len(gone) > 0 {
		for _, name := range gone {
			s.remove(name)
		}
		if err := s.redis.Forget(ctx, s.shard, gone); err != nil {
			s.logger.WarnContext(ctx, "expired queues can't be removed", slog.Any("error", err))
		}
	}
	return count, nil
}

// prepare works out a call for as many of the events as fit into it, or for a part of one, and returns how many
// are done with it. It fails with an [undeliverable] where the first of them can't be delivered.
func (s *session) prepare(ctx context.Context, entries []store.LogEntry) (c call, done int, err error) {
	c.to = s.cursor
	for _, entry := range entries {
		if done > 0 && s.alone {
			break
		}
		to, err := s.recipients(ctx, entry)
		if reason := (undeliverable{}); done > 0 && errors.As(err, &reason) {
			break // the next call begins with it
		}
		if err != nil {
			return call{}, 0, err
		}
		room := queue.MaxAppends - c.count
		if len(to) > room && c.count > 0 {
			break // the next call begins with it
		}
		part := to[:min(room, len(to))]
		if len(part) > 0 {
			payload := []byte(entry.Payload)
			s.fresh.Put(entry.Position, payload, entry.Created)
			c.appends = append(c.appends, appends(entry.Position, payload, part)...)
			c.count += len(part)
		}
		c.to.Position, c.to.Through = entry.Position, 0
		if len(part) < len(to) {
			c.to.Through = part[len(part)-1].queue.Number
			c.rest = to[len(part):]
			break
		}
		s.apply(&c, entry)
		done++
	}
	return c, done, nil
}

// takeBack makes the rosters what they were before the call.
func (c *call) takeBack() {
	for _, undo := range slices.Backward(c.applied) {
		undo()
	}
}

// recipients returns the queues that still have to get an event, or an [undeliverable].
func (s *session) recipients(ctx context.Context, entry store.LogEntry) ([]delivery, error) {
	if entry.Broken != nil {
		return nil, undeliverable{entry.Broken}
	}
	if s.rest != nil && s.cursor.Position == entry.Position {
		return s.rest, nil
	}
	queues := s.rolls[entry.Org]
	if queues == nil {
		return nil, nil
	}
	r := s.rosters[entry.Org]
	if r == nil {
		before := store.Position{Xid: entry.Xid, ID: entry.ID - 1}
		loaded, err := loadRoster(ctx, s.log, entry.Org, before, queues)
		if errors.Is(err, store.ErrBroken) {
			return nil, undeliverable{err}
		}
		if err != nil {
			return nil, err
		}
		r = loaded
		s.rosters[entry.Org] = r
	}
	to, err := r.fanout(entry)
	if err == nil && len(to) > 0 {
		err = readable(entry)
	}
	if err != nil {
		return nil, undeliverable{err}
	}
	if s.cursor.Through > 0 && s.cursor.Position == entry.Position {
		to = slices.DeleteFunc(to, func(d delivery) bool { return d.queue.Number <= s.cursor.Through })
	}
	return to, nil
}

// apply makes the roster what it is after an event.
func (s *session) apply(c *call, entry store.LogEntry) {
	r := s.rosters[entry.Org]
	if r == nil || entry.Change == nil {
		return
	}
	change := *entry.Change
	r.apply(change)
	c.applied = append(c.applied, func() { r.undo(change) })
}
