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

// AddDefault makes a stream one of the default streams, which new accounts are subscribed to. The caller must be an
// administrator with access to the stream; otherwise it fails with [ErrInvalidID].
func (s *Service) AddDefault(ctx context.Context, who actor.Actor, stream id.Stream) error {
	return s.db.Write(ctx, who.Org(), func(tx *store.Tx) error {
		seen, err := lockActive(ctx, tx, who, stream, true)
		switch {
		case err != nil:
			return err
		case !permit.ReadStream(who.Role, seen.View()):
			return ErrInvalidID
		case seen.IsDefault:
			return nil
		}
		return SetDefault(ctx, tx, seen.StreamID, true)
	})
}

// RemoveDefault removes a stream from the default streams, if it is one of them. Administrators may remove every stream
// of the organization. It fails with [ErrInvalidID].
func (s *Service) RemoveDefault(ctx context.Context, who actor.Actor, stream id.Stream) error {
	return s.db.Write(ctx, who.Org(), func(tx *store.Tx) error {
		seen, err := lockActive(ctx, tx, who, stream, true)
		if err != nil {
			return err
		}
		return SetDefault(ctx, tx, seen.StreamID, false)
	})
}

// LockEnding takes the lock that [End] needs besides those on the streams' subscriptions, which the caller holds. It locks
// the organization if the default streams, a group of default streams or a setting includes one of the streams. It must
// come before the first write.
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

// SetDefault adds a public stream to the default streams, or removes it. The transaction must have locked the list
// (Tx.LockDefaultStreams) before its first write.
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
