package stream

import (
	"context"
	"math"

	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/lists"
	"chatserver.dev/pkg/steps"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/store/sqlc"
)

// When an account leaves a stream, it receives an event with its newest unread messages there: with as many as clients
// hold, but with fewer if many accounts leave in one transaction.
const (
	maxLeft    = 50_000
	maxLeftAll = 200_000 // of all accounts together, unless
	minLeft    = 100     // for each is more
)

// The numbers of topics' marks that one transaction removes. An account may have one for each topic of a stream.
const (
	minForgotten = 200
	maxForgotten = 1000
)

// Leaving is subscriptions that end in a transaction, and the messages there that are unread for their owners. They are
// marked as read, since the owners may no longer be able to do so.
type Leaving struct {
	Ended          []event.Membership
	streams, users []int64
	unread         []sqlc.UnreadInStreamsRow
	again          []sqlc.UnreadAgainElsewhereRow
}

// PrepareLeaving reads what [Leaving.Write] needs. It must come before the transaction's first write, so that it doesn't
// delay events. The caller holds the locks on the subscriptions of the streams.
func PrepareLeaving(ctx context.Context, tx *store.Tx, ended []event.Membership) (Leaving, error) {
	l := Leaving{
		Ended:   ended,
		streams: lists.Map(ended, func(m event.Membership) int64 { return int64(m.Stream) }),
		users:   lists.Map(ended, func(m event.Membership) int64 { return int64(m.User) }),
	}
	if len(ended) == 0 {
		return l, nil
	}
	if err := tx.LockAllMarks(ctx); err != nil {
		return l, err
	}
	var err error
	l.unread, err = tx.UnreadInStreams(ctx, sqlc.UnreadInStreamsParams{
		StreamIds: l.streams, UserIds: l.users, Upto: math.MaxInt64,
		MaxMessages: int32(max(minLeft, min(maxLeft, maxLeftAll/len(ended)))),
	})
	if err != nil {
		return l, err
	}
	l.again, err = tx.UnreadAgainElsewhere(ctx, l.streams, l.users)
	return l, err
}

// Write ends the subscriptions, marks their unread messages as read, and emits an event with those messages for each
// stream. Marks of topics, which are no longer needed, may be deleted later, by a runner of [Service.Kinds].
func (l Leaving) Write(ctx context.Context, tx *store.Tx) error {
	if len(l.Ended) == 0 {
		return nil
	}
	if err := tx.Unsubscribe(ctx, l.streams, l.users); err != nil {
		return err
	}
	forgotten, err := tx.LeaveStreams(ctx, l.streams, l.users, minForgotten)
	if err != nil {
		return err
	}
	if len(l.again) > 0 {
		users := lists.Map(l.again, func(row sqlc.UnreadAgainElsewhereRow) int64 { return int64(row.UserID) })
		messages := lists.Map(l.again, func(row sqlc.UnreadAgainElsewhereRow) string { return row.Messages })
		if err := tx.SaveUnreadAgain(ctx, users, messages); err != nil {
			return err
		}
	}
	if forgotten == minForgotten {
		if _, err := forgettings().Begin(ctx, tx, forgetting{l.streams, l.users}); err != nil {
			return err
		}
	}
	return tx.Emit(ctx, lists.Map(l.unread, func(row sqlc.UnreadInStreamsRow) event.Event {
		return event.MarkedRead(id.Convert[id.Message](row.Messages), id.Convert[id.User](row.UserIds)...)
	})...)
}

// forgetting is ended subscriptions whose marks of topics are to be deleted. The lists are parallel.
type forgetting struct{ Streams, Users []int64 }

// forgettings returns the kind of change that deletes those marks.
func forgettings() steps.Kind[forgetting] {
	return steps.NewKind("forget_topic_marks", minForgotten, maxForgotten, forgetMore)
}

// forgetMore is the step of a forgetting. Accounts that have subscribed again keep their newer marks.
func forgetMore(ctx context.Context, tx *store.Tx, left *forgetting, pace *steps.Pace) (done bool, err error) {
	if err := tx.LockAllMarks(ctx); err != nil {
		return false, err
	}
	pace.Begin(pace.Rows())
	forgotten, err := tx.ForgetTopicMarks(ctx, int32(pace.Rows()), left.Streams, left.Users)
	return forgotten < int64(pace.Rows()), err
}
