package stream

import (
	"context"
	"slices"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/lists"
	"chatserver.dev/pkg/permit"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/store/sqlc"
)

// AddDefault makes a stream that the caller, an administrator, has access to one of those that new
// accounts are subscribed to. It fails with [ErrInvalidID].
func (s *Service) AddDefault(ctx context.Context, who actor.Actor, stream id.Stream) error {
	return s.db.Write(ctx, who.Org(), func(tx *store.Tx) error {
		seen, err := lockActive(ctx, tx, who, stream, true)
		switch {
		case err != nil:
			return err
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
	return s.db.Write(ctx, who.Org(), func(tx *store.Tx) error {
		seen, err := lockActive(ctx, tx, who, stream, true)
		if err != nil {
			return err
		}
		return SetDefault(ctx, tx, seen.StreamID, false)
	})
}

// LockEnding takes the lock that [End] needs for some streams beside those on their subscriptions, which
// the caller holds: it is that of the organization, if the list of default streams, a group of them or a setting names one of them.
// It comes before the first write.
func LockEnding(ctx context.Context, tx *store.Tx, streams ...sqlc.Stream) error {
	if len(streams) == 0 {
		return nil
	}
	ids := lists.Map(streams, func(row sqlc.Stream) int64 { return int64(row.StreamID) })
	named, err := tx.NamesStream(ctx, ids)
	if err == nil && !named {
		named, err = tx.InDefaultStreamGroup(ctx, ids)
	}
	if err == nil && (named || slices.ContainsFunc(streams, func(row sqlc.Stream) bool { return row.IsDefault })) {
		err = tx.LockDefaultStreams(ctx)
	}
	return err
}

// SetDefault makes a public stream one of those that new accounts are subscribed to, or takes it from
// them. The transaction has locked the list (Tx.LockDefaultStreams) before its first write.
func SetDefault(ctx context.Context, tx *store.Tx, stream id.Stream, isDefault bool) error {
	if err := tx.SetDefaultStream(ctx, isDefault, stream); err != nil {
		return err
	}
	return emitDefaults(ctx, tx)
}

// emitDefaults records the event with the complete list of default streams.
func emitDefaults(ctx context.Context, tx *store.Tx) error {
	defaults, err := tx.DefaultStreams(ctx)
	if err != nil {
		return err
	}
	return tx.Emit(ctx, event.DefaultStreams{Streams: lists.Map(defaults, Object)})
}
