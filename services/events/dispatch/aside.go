package dispatch

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"

	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/queue"
	"chatserver.dev/pkg/store"
)

// maxTries is the number of attempts to deliver an event, 100 ms apart, before it is put aside.
const maxTries = 3

var (
	errNoJSON    = errors.New("its payload isn't JSON")
	errNoMessage = errors.New("its payload isn't that of a message")
)

// checkReadable returns why an event can't be sent to clients; nil: it can.
func checkReadable(entry store.LogEntry) error {
	if entry.Type != "message" {
		if !json.Valid([]byte(entry.Payload)) {
			return errNoJSON
		}
		return nil
	}
	if facts, ok := event.ParseMessageFacts([]byte(entry.Payload)); !ok || facts.Type == "" {
		return errNoMessage
	}
	return nil
}

// undeliverable is the reason why an event can never be delivered.
type undeliverable struct{ error }

// Unwrap returns the reason.
func (u undeliverable) Unwrap() error { return u.error }

// giveUp puts a line's next event aside if the last attempt has failed. Otherwise it returns the error of this attempt.
func (s *session) giveUp(ctx context.Context, l *line, reason undeliverable) error {
	entry := l.entries[0]
	if s.failing != entry.Position {
		s.failing, s.tries = entry.Position, 0
	}
	if s.tries++; s.tries < maxTries {
		return fmt.Errorf("event %d.%d can't be delivered: %w", entry.Xid, entry.ID, reason.error)
	}
	dropped, err := s.putAside(ctx, l)
	if err != nil {
		return err
	}
	s.tries, l.alone = 0, false
	s.Logger.ErrorContext(ctx, "event can't be delivered and is put aside; the clients of its organization have to register again",
		slog.Int("shard", s.shard), slog.Uint64("xid", entry.Xid), slog.Int64("id", entry.ID), slog.Int64("organization", int64(entry.Org)),
		slog.String("type", entry.Type), slog.Int("queues", dropped), slog.Any("error", reason.error))
	s.aside.Add(ctx, 1)
	return nil
}

// putAside moves a line past its next event, and drops all queues of that event's organization: its recipients can't be
// determined, and no queue may miss an event silently. It returns the number of dropped queues.
func (s *session) putAside(ctx context.Context, l *line) (dropped int, err error) {
	entry := l.entries[0]
	c := &call{line: l, at: queue.Place{Position: entry.Position}, count: 1}
	c.to = s.cursorAfter(c)
	for {
		if err := s.refresh(ctx); err != nil {
			return dropped, err
		}
		if s.indexes[entry.Org] != nil { // repeated if queues were registered meanwhile
			for name, q := range s.queues {
				if q.Org != entry.Org {
					continue
				}
				if _, err := s.Redis.Unregister(ctx, s.shard, name); err != nil {
					return dropped, err
				}
				s.remove(name)
				dropped++
			}
			continue
		}
		outcome, _, err := s.Redis.Dispatch(ctx, s.shard, s.cursor, c.to, s.version, nil)
		switch {
		case err != nil:
			return dropped, err
		case outcome == queue.CursorMoved:
			return dropped, errOvertaken
		case outcome == queue.Done:
			s.done(c)
			return dropped, nil
		}
	}
}
