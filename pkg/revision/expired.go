package revision

import (
	"context"
	"errors"
	"fmt"
	"time"

	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/steps"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/store/sqlc"
	"chatserver.dev/pkg/user"
)

const (
	// maxDays is the maximum of limited retention in days, because of the earliest time in PostgreSQL.
	maxDays = 1_000_000
	// conversationsAtOnce is the number of conversations that one statement searches.
	conversationsAtOnce = 1000
)

// DeleteExpired deletes the messages of all organizations that are older than the retention of their stream or organization.
// Like other deleted messages, they are destroyed later. No accounts are notified (rest-api.md, section 8.9). Any
// number of processes may call DeleteExpired at once.
func (s *Service) DeleteExpired(ctx context.Context) error {
	orgs, err := s.db.RetainingOrganizations(ctx)
	if err != nil {
		return err
	}
	failures := []error(nil)
	for _, in := range orgs {
		if err := s.deleteExpiredIn(ctx, in); err != nil {
			failures = append(failures, fmt.Errorf("organization %d: %w", in, err))
		}
		if ctx.Err() != nil {
			break
		}
	}
	return errors.Join(failures...)
}

// deleteExpiredIn deletes expired messages of an organization.
func (s *Service) deleteExpiredIn(ctx context.Context, in id.Org) error {
	o, bot, streams := org.Org{}, user.User{}, []sqlc.StreamsToRetireRow(nil)
	at := s.now()
	err := s.db.Read(ctx, in, func(tx *store.Tx) (err error) {
		if o, err = s.orgs.Load(ctx, tx); err != nil {
			return err
		}
		if bot, err = user.NotificationBot(ctx, tx); err != nil {
			return err
		}
		days := min(o.Settings.MessageRetentionDays, maxDays)
		streams, err = tx.StreamsToRetire(ctx, int32(days), maxDays, at)
		return err
	})
	if err != nil {
		return err
	}
	r := expiry{Service: s, in: in, by: bot.ID}
	for _, stream := range streams {
		if err := r.stream(ctx, stream.StreamID, before(at, int(stream.Days))); err != nil {
			return err
		}
	}
	if o.Settings.MessageRetentionDays > 0 {
		return r.conversations(ctx, before(at, min(o.Settings.MessageRetentionDays, maxDays)))
	}
	return nil
}

func before(at time.Time, days int) time.Time { return at.AddDate(0, 0, -days) }

// expiry is the deletion of an organization's expired messages.
type expiry struct {
	*Service
	in id.Org
	by id.User // the account that is recorded as having deleted them
}

func (r expiry) stream(ctx context.Context, stream id.Stream, before time.Time) error {
	first, err := r.firstSince(ctx, before)
	if err != nil {
		return err
	}
	return r.place(ctx, int64(stream), stream, func(tx *store.Tx, after id.Message, limit int32) ([]id.Message, error) {
		return tx.OldStreamMessages(ctx, sqlc.OldStreamMessagesParams{
			StreamID: &stream, After: int64(after), Before: first, BeforeTime: before, MaxRows: limit,
		})
	})
}

func (r expiry) conversations(ctx context.Context, before time.Time) error {
	first, err := r.firstSince(ctx, before)
	if err != nil {
		return err
	}
	for after, more := id.Conversation(0), true; more; {
		some, err := store.Read(ctx, r.db, r.in, func(tx *store.Tx) ([]sqlc.ConversationsAfterRow, error) {
			return tx.ConversationsAfter(ctx, first, int64(after), conversationsAtOnce)
		})
		if err != nil {
			return err
		}
		for _, c := range some {
			after = c.ConversationID
			if !c.Old {
				continue
			}
			err := r.place(ctx, int64(c.ConversationID), 0, func(tx *store.Tx, after id.Message, limit int32) ([]id.Message, error) {
				return tx.OldPrivateMessages(ctx, sqlc.OldPrivateMessagesParams{
					ConversationID: &c.ConversationID, After: int64(after), Before: first, BeforeTime: before, MaxRows: limit,
				})
			})
			if err != nil {
				return err
			}
		}
		more = len(some) == conversationsAtOnce
	}
	return nil
}

// firstSince returns the smallest id of messages that were sent since a time.
func (r expiry) firstSince(ctx context.Context, since time.Time) (int64, error) {
	return store.Read(ctx, r.db, r.in, func(tx *store.Tx) (int64, error) { return tx.FirstMessageSince(ctx, since) })
}

// place deletes the expired messages of one stream, or of a conversation, in short transactions. old returns the
// first ones after a message, so that it doesn't read again what earlier transactions have deleted.
func (r expiry) place(
	ctx context.Context, place int64, in id.Stream, old func(tx *store.Tx, after id.Message, limit int32) ([]id.Message, error),
) error {
	pace := steps.NewPace(minDeleted, maxDeleted, r.now)
	last := id.Message(0)
	for more := true; more; {
		after := last
		err := r.db.Write(ctx, r.in, func(tx *store.Tx) error {
			if err := tx.LockPlace(ctx, place); err != nil {
				return err
			}
			gone, err := old(tx, after, int32(pace.Rows()))
			if err != nil {
				return err
			}
			if more = len(gone) == pace.Rows(); len(gone) == 0 {
				return nil
			}
			fit, err := fitting(ctx, tx, gone)
			if err != nil {
				return err
			}
			more = more || len(fit) < len(gone)
			last = fit[len(fit)-1]
			pace.Begin(len(fit))
			return destroy(ctx, tx, r.by, in, fit)
		})
		if err != nil {
			return err
		}
		pace.End()
	}
	return nil
}
