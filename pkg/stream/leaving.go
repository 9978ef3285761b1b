package stream

import (
	"context"
	"math"

	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/lists"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/store/sqlc"
)

// Whoever leaves a stream gets an event with its newest unread messages: with as many as clients know of, but with fewer
// where many people leave at once.
const (
	maxLeft    = 50_000
	maxLeftAll = 200_000 // by all of them, unless
	minLeft    = 100     // for each is more
)

// Leaving is subscriptions that end in a transaction, and what is unread for their owners: it would wait for them forever.
type Leaving struct {
	Ended          []event.Membership
	streams, users []int64
	unread         []sqlc.UnreadInStreamsRow
}

// PrepareLeaving reads what [Leaving.Write] writes. It comes before the transaction's first write, so that it doesn't
// hold up events. The caller holds the locks on the subscriptions of the streams.
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
	return l, err
}

// Write ends the subscriptions, marks as read what is unread, and emits to each of their owners which messages that are,
// in an event for each stream.
func (l Leaving) Write(ctx context.Context, tx *store.Tx) error {
	if len(l.Ended) == 0 {
		return nil
	}
	if err := tx.Unsubscribe(ctx, l.streams, l.users); err != nil {
		return err
	}
	if err := tx.LeaveStreams(ctx, l.streams, l.users); err != nil {
		return err
	}
	return tx.Emit(ctx, lists.Map(l.unread, func(row sqlc.UnreadInStreamsRow) event.Event {
		return event.MarkedRead(id.Convert[id.Message](row.Messages), id.Convert[id.User](row.UserIds)...)
	})...)
}
