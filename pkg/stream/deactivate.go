package stream

import (
	"context"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/lists"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/steps"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/store/sqlc"
)

// The numbers of subscriptions of a deactivated stream that one transaction ends, the first one minEnded. Each
// subscriber may have hundreds of unread messages there.
const (
	minEnded = 20
	maxEnded = 200
)

// Deactivate deactivates a stream. Administrators may deactivate every stream of the organization. It fails with
// [ErrInvalidID], also if the stream is deactivated already. The first transaction removes the stream for everybody; the
// subscriptions of a large stream end in several ones.
func (s *Service) Deactivate(ctx context.Context, who actor.Actor, stream id.Stream) error {
	left, err := store.Write(ctx, s.db, who.Org(), func(tx *store.Tx) (int64, error) { return s.DeactivateIn(ctx, tx, who, stream) })
	if err != nil {
		return err
	}
	return s.AwaitEnd(ctx, who, left)
}

// DeactivateIn is the first transaction of [Service.Deactivate], as a part of the caller's. AwaitEnd makes the others, which
// left stands for.
func (*Service) DeactivateIn(ctx context.Context, tx *store.Tx, who actor.Actor, stream id.Stream) (left int64, err error) {
	seen, err := lockActive(ctx, tx, who, stream, false)
	if err != nil {
		return 0, err
	}
	if err := LockEnding(ctx, tx, seen.Stream); err != nil {
		return 0, err
	}
	return End(ctx, tx, seen.Stream)
}

// AwaitEnd ends the remaining subscriptions of a stream that DeactivateIn has deactivated.
func (s *Service) AwaitEnd(ctx context.Context, who actor.Actor, left int64) error {
	return endings().Await(ctx, s.db, who.Org(), left, s.now)
}

// End deactivates an active stream, unsets the settings that name it, and emits the events. left is the change that ends
// the remaining subscriptions, or 0 if there are none; a runner of [Service.Kinds] performs it unless the caller awaits
// it. The caller holds the lock on the stream's subscriptions and that of [LockEnding].
func End(ctx context.Context, tx *store.Tx, row sqlc.Stream) (left int64, err error) {
	rest := ending{Stream: row.StreamID}
	some, err := nextLeaving(ctx, tx, &rest, minEnded)
	if err != nil {
		return 0, err
	}
	if err := some.Write(ctx, tx); err != nil {
		return 0, err
	}
	if err := emitBots(ctx, tx, row.StreamID, nil); err != nil {
		return 0, err
	}
	if err := tx.DeactivateStream(ctx, row.StreamID); err != nil {
		return 0, err
	}
	if row.IsDefault {
		if err := emitDefaults(ctx, tx); err != nil {
			return 0, err
		}
	}
	grouped, err := tx.TakeFromAllGroups(ctx, row.StreamID)
	if err == nil && grouped > 0 {
		err = emitGroups(ctx, tx)
	}
	if err != nil {
		return 0, err
	}
	if err := org.ForgetStream(ctx, tx, row.StreamID); err != nil {
		return 0, err
	}
	if err := tx.Emit(ctx, event.StreamDeleted{Streams: []event.Stream{Object(row)}, Unsubscribed: some.Ended}); err != nil || len(some.Ended) < minEnded {
		return 0, err
	}
	return endings().Begin(ctx, tx, rest)
}

// ending is the rest of the end of a stream: the subscriptions of accounts after After.
type ending struct {
	Stream id.Stream
	After  id.User
}

// endings returns the kind of change that ends the subscriptions of a deactivated stream.
func endings() steps.Kind[ending] { return steps.NewKind("end_stream", minEnded, maxEnded, endMore) }

// Kinds returns the kinds of changes that take several transactions.
func (*Service) Kinds() []steps.Resumable { return []steps.Resumable{endings(), forgettings()} }

// endMore is the step of an ending.
func endMore(ctx context.Context, tx *store.Tx, left *ending, pace *steps.Pace) (done bool, err error) {
	if err := tx.LockSubscriptions(ctx, left.Stream); err != nil {
		return false, err
	}
	some, err := nextLeaving(ctx, tx, left, int32(pace.Rows()))
	if err != nil || len(some.Ended) == 0 {
		return true, err
	}
	pace.Begin(len(some.Ended))
	if err := some.Write(ctx, tx); err != nil {
		return false, err
	}
	return len(some.Ended) < pace.Rows(), tx.Emit(ctx, event.SubscriptionsEnded{Unsubscribed: some.Ended})
}

// nextLeaving prepares the end of the next subscriptions of a stream.
func nextLeaving(ctx context.Context, tx *store.Tx, left *ending, limit int32) (Leaving, error) {
	users, err := tx.SubscribedAfter(ctx, left.Stream, left.After, limit)
	if err != nil {
		return Leaving{}, err
	}
	if len(users) > 0 {
		left.After = users[len(users)-1]
	}
	return PrepareLeaving(ctx, tx, lists.Map(users, func(user id.User) event.Membership {
		return event.Membership{Stream: left.Stream, User: user}
	}))
}
