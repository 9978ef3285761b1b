package stream

import (
	"context"
	"fmt"
	"slices"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/permit"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/store/sqlc"
)

// AddDefault makes a stream that the caller, an administrator, has access to one of those that new
// accounts are subscribed to. It fails with [ErrInvalidID].
func (s *Service) AddDefault(ctx context.Context, who actor.Actor, stream id.Stream) error {
	return s.changeDefaults(ctx, who, stream, func(tx *store.Tx, seen Seen) error {
		switch {
		case !permit.ReadStream(who.Role, seen.Visible()):
			return ErrInvalidID
		case seen.IsDefault:
			return nil
		}
		return SetDefault(ctx, tx, seen.StreamID, true)
	})
}

// RemoveDefault takes any stream of the organization from those that new accounts are subscribed to,
// for administrators. It fails with [ErrInvalidID], but not for a stream that isn't one of them.
func (s *Service) RemoveDefault(ctx context.Context, who actor.Actor, stream id.Stream) error {
	return s.changeDefaults(ctx, who, stream, func(tx *store.Tx, seen Seen) error { return SetDefault(ctx, tx, seen.StreamID, false) })
}

func (s *Service) changeDefaults(
	ctx context.Context, who actor.Actor, stream id.Stream, change func(tx *store.Tx, seen Seen) error,
) error {
	return s.db.Write(ctx, who.Org(), func(tx *store.Tx) error {
		// Who ends the stream meanwhile knows by this lock whether it is one of them.
		if err := tx.LockSubscriptions(ctx, stream); err != nil {
			return err
		}
		if err := lockDefaults(ctx, tx); err != nil {
			return err
		}
		seen, err := active(ctx, tx, who, stream)
		if err != nil {
			return err
		}
		return change(tx, seen)
	})
}

// lockDefaults makes all wait who change the list of default streams. It comes after locks of streams,
// before the first write.
func lockDefaults(ctx context.Context, tx *store.Tx) error {
	if err := tx.LockDefaultStreams(ctx); err != nil {
		return fmt.Errorf("lock default streams: %w", err)
	}
	return nil
}

// LockEnding takes the lock that [End] needs for some streams beside those on their subscriptions, which
// the caller holds: it is that of the organization, if the list of default streams or a setting names one of them.
// It comes before the first write.
func LockEnding(ctx context.Context, tx *store.Tx, streams ...sqlc.Stream) error {
	if len(streams) == 0 {
		return nil
	}
	numbers := make([]int64, len(streams))
	for i, row := range streams {
		numbers[i] = int64(row.StreamID)
	}
	named, err := tx.NamesStream(ctx, numbers)
	if err != nil {
		return fmt.Errorf("look for settings that name streams: %w", err)
	}
	if named || slices.ContainsFunc(streams, func(row sqlc.Stream) bool { return row.IsDefault }) {
		return lockDefaults(ctx, tx)
	}
	return nil
}

// SetDefault makes a public stream one of those that new accounts are subscribed to, or takes it from
// them. The transaction has locked the list (Tx.LockDefaultStreams) before its first write.
func SetDefault(ctx context.Context, tx *store.Tx, stream id.Stream, isDefault bool) error {
	if err := tx.SetDefaultStream(ctx, isDefault, stream); err != nil {
		return fmt.Errorf("change default stream %d: %w", stream, err)
	}
	return emitDefaults(ctx, tx)
}

// emitDefaults records the event with the complete list of default streams.
func emitDefaults(ctx context.Context, tx *store.Tx) error {
	defaults, err := tx.DefaultStreams(ctx)
	if err != nil {
		return fmt.Errorf("read default streams: %w", err)
	}
	return tx.Emit(ctx, event.DefaultStreams{Streams: objects(defaults)})
}
