package presence

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/user"
)

// Update is [user.Update] for an account that may become active again: its stored reports are then sent to the others, since
// the state of clients that came meanwhile lacks them. The caller has read them ([Store.OfReturning]) before the transaction,
// which would wait for Redis.
func Update(ctx context.Context, tx *store.Tx, o org.Org, before user.User, change user.Change, stored Reports, now time.Time) error {
	if _, err := user.Update(ctx, tx, o, before.ID, change); err != nil {
		return err
	}
	if before.Active || change.Active == nil || !*change.Active {
		return nil
	}
	return tx.Emit(ctx, returned(o, before, stored, now)...)
}

// returned returns the events with the reports of an account, one for each client.
func returned(o org.Org, u user.User, reports Reports, now time.Time) []event.Event {
	events := []event.Event(nil)
	for _, client := range slices.Sorted(maps.Keys(reports)) {
		events = append(events, reports[client].event(Reporter{Org: o.ID, User: u.ID, Client: client}, user.DisplayEmail(o, u), now))
	}
	return events
}

// OfReturning returns the reports of a deactivated person, for [Update]. It reads none of others, who need none, so that a change of
// them doesn't need Redis: find returns their account, or fails with [user.ErrNoSuchUser].
func (s *Store) OfReturning(
	ctx context.Context, db *store.DB, in id.Org, now time.Time, find func(tx *store.Tx) (user.User, error),
) (Reports, error) {
	u, err := store.Read(ctx, db, in, find)
	switch {
	case errors.Is(err, user.ErrNoSuchUser) || err == nil && (u.Active || u.IsBot()):
		return nil, nil //nolint:nilnil // no reports
	case err != nil:
		return nil, err
	}
	return s.Of(ctx, in, u.ID, now)
}
