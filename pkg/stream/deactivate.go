package stream

import (
	"context"
	"fmt"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/mark"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/steps"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/store/sqlc"
)

// endAtOnce bounds how many subscriptions of a deactivated stream one transaction ends. Each reader may have hundreds of
// unread messages there.
const endAtOnce = 200

// Deactivate ends a stream, which administrators may do with every stream of the organization. It
// fails with [ErrInvalidID], also for a stream that is deactivated already. The subscriptions of a large stream end in
// several transactions: the stream is gone for everybody with the first one.
func (s *Service) Deactivate(ctx context.Context, who actor.Actor, stream id.Stream) error {
	left := int64(0)
	err := s.db.Write(ctx, who.Org(), func(tx *store.Tx) error {
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
		left, err = End(ctx, tx, seen.Stream)
		return err
	})
	if err != nil {
		return err
	}
	return endings().Await(ctx, s.db, who.Org(), left)
}

// End deactivates an active stream, unsets the settings that name it, and emits that to those who could see it. left is
// the change that still ends some of its subscriptions, or 0; a runner of [Service.Kinds] does that unless the caller
// awaits it. The caller holds the lock on its subscriptions and that of [LockEnding].
func End(ctx context.Context, tx *store.Tx, row sqlc.Stream) (left int64, err error) {
	rest := ending{Stream: row.StreamID}
	ended, err := endSome(ctx, tx, &rest)
	if err != nil {
		return 0, err
	}
	if err := tx.DeactivateStream(ctx, row.StreamID); err != nil {
		return 0, fmt.Errorf("deactivate stream %d: %w", row.StreamID, err)
	}
	if row.IsDefault {
		if err := tellDefaults(ctx, tx); err != nil {
			return 0, err
		}
	}
	if err := org.ForgetStream(ctx, tx, row.StreamID); err != nil {
		return 0, err
	}
	if err := tx.Emit(ctx, event.StreamDeleted{Stream: Object(row), Unsubscribed: ended}); err != nil || len(ended) < endAtOnce {
		return 0, err
	}
	return endings().Begin(ctx, tx, rest)
}

// ending is what is left of the end of a stream: the subscriptions of accounts behind After.
type ending struct {
	Stream id.Stream
	After  id.User
}

// endings is the kind of change that ends the subscriptions of a stream that was deactivated.
func endings() steps.Kind[ending] { return steps.NewKind("end_stream", endMore) }

// Kinds are the kinds of changes that take several transactions.
func (*Service) Kinds() []steps.Resumable { return []steps.Resumable{endings()} }

// endMore is the step of an ending.
func endMore(ctx context.Context, tx *store.Tx, left *ending) (done bool, err error) {
	if err := tx.LockSubscriptions(ctx, left.Stream); err != nil {
		return false, err
	}
	ended, err := endSome(ctx, tx, left)
	if err != nil || len(ended) == 0 {
		return true, err
	}
	return len(ended) < endAtOnce, tx.Emit(ctx, event.SubscriptionsEnded{Unsubscribed: ended})
}

// endSome ends the next subscriptions of a stream, and returns them.
func endSome(ctx context.Context, tx *store.Tx, left *ending) ([]event.Membership, error) {
	users, err := tx.SubscribedAfter(ctx, left.Stream, left.After, endAtOnce)
	if err != nil {
		return nil, fmt.Errorf("read subscriptions of stream %d: %w", left.Stream, err)
	}
	ended := make([]event.Membership, len(users))
	streams, numbers := make([]int64, len(users)), make([]int64, len(users))
	for i, user := range users {
		ended[i] = event.Membership{Stream: left.Stream, User: user}
		streams[i], numbers[i], left.After = int64(left.Stream), int64(user), user
	}
	unread, err := mark.Look(ctx, tx, ended)
	if err != nil {
		return nil, err
	}
	if err := tx.Unsubscribe(ctx, streams, numbers); err != nil {
		return nil, fmt.Errorf("end subscriptions of stream %d: %w", left.Stream, err)
	}
	return ended, unread.Read(ctx, tx)
}
