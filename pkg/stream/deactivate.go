package stream

import (
	"context"
	"fmt"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/mark"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/store/sqlc"
)

// Deactivate ends a stream, which administrators may do with every stream of the organization. It
// fails with [ErrInvalidID], also for a stream that is deactivated already.
func (s *Service) Deactivate(ctx context.Context, who actor.Actor, stream id.Stream) error {
	return s.db.Write(ctx, who.Org(), func(tx *store.Tx) error {
		if err := tx.LockSubscriptions(ctx, stream); err != nil {
			return err
		}
		seen, err := active(ctx, tx, who, stream)
		if err != nil {
			return err
		}
		if err := LockEnding(ctx, tx, seen.Stream); err != nil {
			return err
		}
		return End(ctx, tx, seen.Stream)
	})
}

// End deactivates an active stream and tells those who could see it. The caller holds the lock on
// its subscriptions and that of [LockEnding].
func End(ctx context.Context, tx *store.Tx, row sqlc.Stream) error {
	users, err := tx.UnsubscribeAll(ctx, row.StreamID)
	if err != nil {
		return fmt.Errorf("end subscriptions of stream %d: %w", row.StreamID, err)
	}
	ended := make([]event.Membership, len(users))
	for i, user := range users {
		ended[i] = event.Membership{Stream: row.StreamID, User: user}
	}
	if err := mark.Leave(ctx, tx, ended); err != nil {
		return err
	}
	if err := tx.DeactivateStream(ctx, row.StreamID); err != nil {
		return fmt.Errorf("deactivate stream %d: %w", row.StreamID, err)
	}
	if row.IsDefault {
		if err := tellDefaults(ctx, tx); err != nil {
			return err
		}
	}
	return tx.Emit(ctx, event.StreamDeleted{Stream: Object(row), Unsubscribed: ended})
}
