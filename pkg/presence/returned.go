package presence

import (
	"context"
	"maps"
	"slices"
	"time"

	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/user"
)

// Update is [user.Update] for an account that may become active again: its stored reports are then sent to the others, since
// the state of clients that came meanwhile lacks them. It also fails if the reports can't be read.
func (s *Store) Update(ctx context.Context, tx *store.Tx, o org.Org, before user.User, change user.Change, now time.Time) error {
	reports := []event.Event(nil)
	if change.Active != nil && *change.Active && !before.Active {
		stored, err := s.returned(ctx, o, before, now)
		if err != nil {
			return err
		}
		reports = stored
	}
	if _, err := user.Update(ctx, tx, o, before.ID, change); err != nil {
		return err
	}
	return tx.Emit(ctx, reports...)
}

// returned returns the events with the stored reports of an account, one for each client.
func (s *Store) returned(ctx context.Context, o org.Org, u user.User, now time.Time) ([]event.Event, error) {
	if u.IsBot() {
		return nil, nil
	}
	reports, err := s.Of(ctx, o.ID, u.ID, now)
	if err != nil {
		return nil, err
	}
	events := []event.Event(nil)
	for _, client := range slices.Sorted(maps.Keys(reports)) {
		r := reports[client]
		events = append(events, event.Presence{
			UserID: u.ID, Email: user.DisplayEmail(o, u), ServerTimestamp: Seconds(now),
			Presence: map[string]event.ClientPresence{client: {Client: client, Status: string(r.Status), Timestamp: r.At}},
		})
	}
	return events, nil
}
