// Package mark keeps what people have read when they stop being subscribed: what they leave behind
// unread doesn't wait for them. It is below the nouns that end subscriptions; all else about read
// state is in package inbox.
//
// It promises that whoever changes their own marks and whoever changes those of others exclude each
// other: see [LockOwn] and [LockAll].
package mark

import (
	"context"
	"fmt"
	"math"

	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/store/sqlc"
)

// Somebody who leaves a stream is told of its newest unread messages: of as many as clients know of, but
// of less where many leave at once.
const (
	maxLeft    = 50_000
	maxLeftAll = 200_000 // by all of them, unless
	minLeft    = 100     // for each is more
)

// LockOwn comes before the marks of one user are read to be changed: it makes all others wait who
// would change them. Locks of streams come before it, those of other tables' rows after.
func LockOwn(ctx context.Context, tx *store.Tx, user id.User) error {
	if err := tx.LockMarks(ctx); err != nil {
		return fmt.Errorf("lock marks: %w", err)
	}
	if err := tx.LockReader(ctx, user); err != nil {
		return fmt.Errorf("lock marks of user %d: %w", user, err)
	}
	return nil
}

// LockAll is [LockOwn] for the marks of everyone in the organization.
func LockAll(ctx context.Context, tx *store.Tx) error {
	if err := tx.LockAllMarks(ctx); err != nil {
		return fmt.Errorf("lock all marks: %w", err)
	}
	return nil
}

// Left is what some people leave unread in streams.
type Left struct {
	streams, users []int64
	unread         []sqlc.UnreadInStreamsRow
}

// Look finds what is unread for those whose subscriptions end in this transaction. [Left.Read] completes it. Who
// looks before the transaction's first write holds up nobody's events meanwhile. The caller holds the streams' locks.
func Look(ctx context.Context, tx *store.Tx, ended []event.Membership) (Left, error) {
	if len(ended) == 0 {
		return Left{}, nil
	}
	left := Left{streams: make([]int64, len(ended)), users: make([]int64, len(ended))}
	for i, m := range ended {
		left.streams[i], left.users[i] = int64(m.Stream), int64(m.User)
	}
	if err := LockAll(ctx, tx); err != nil {
		return Left{}, err
	}
	var err error
	left.unread, err = tx.UnreadInStreams(ctx, sqlc.UnreadInStreamsParams{
		StreamIds: left.streams, UserIds: left.users, Upto: math.MaxInt64,
		MaxMessages: int32(max(minLeft, min(maxLeft, maxLeftAll/len(ended)))),
	})
	if err != nil {
		return Left{}, fmt.Errorf("read what is unread in streams: %w", err)
	}
	return left, nil
}

// Read marks it as read for those whose subscriptions have just ended, and emits to each of them which messages that
// are, in an event for each stream where something was. What waits in a stream that one left would wait forever.
func (l Left) Read(ctx context.Context, tx *store.Tx) error {
	if len(l.users) == 0 {
		return nil
	}
	if err := tx.LeaveStreams(ctx, l.streams, l.users); err != nil {
		return fmt.Errorf("mark streams as read: %w", err)
	}
	events := make([]event.Event, len(l.unread))
	for i, row := range l.unread {
		events[i] = event.MarkedRead(id.Convert[id.Message](row.Messages), id.Convert[id.User](row.UserIds)...)
	}
	return tx.EmitAll(ctx, events)
}
