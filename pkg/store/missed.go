package store

import (
	"cmp"
	"context"
	"errors"
	"sync"
	"time"

	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/store/sqlc"
)

// UnseenShards returns the shards whose logs have new events for [DB.NewMessages]. Logs are searched from the first call
// on.
func (db *DB) UnseenShards(ctx context.Context) ([]int16, error) {
	return query(ctx, db.everywhere, upkeepTime, func(ctx context.Context, q *sqlc.Queries) ([]int16, error) {
		places, err := q.MissedPlaces(ctx)
		if err != nil || len(places) > 0 {
			return places, err
		}
		stale, err := q.StalePlaces(ctx)
		if err == nil && stale {
			err = q.AddMissedPlaces(ctx)
		}
		return nil, err
	})
}

// MessageBatch is some messages of an organization that people are to be notified of.
type MessageBatch struct {
	Org      id.Org
	Messages []id.Message
	// Only are the people whom an edit of the message newly mentions, or newly mentions by name. nil: the messages are new.
	Only []id.User
}

// NewMessages calls use with the messages in the next part of a shard's log: once for the new ones of each organization,
// and once for each edit that mentions people. Calls that fail are repeated once, after all others and a pause. If one fails again, its
// messages are skipped, and NewMessages returns the error at its end. If the database can't be reached, it returns
// [ErrUnavailable], and the part is processed again after the lease, which is renewed until then. While another process has the
// lease, it does nothing. more reports that there may be another part.
func (db *DB) NewMessages(
	ctx context.Context, shard int16, lease, pause time.Duration, use func(MessageBatch) error,
) (more bool, err error) {
	part, err := query(ctx, db.everywhere, upkeepTime, func(ctx context.Context, q *sqlc.Queries) ([]sqlc.LogOfMessagesRow, error) {
		claimed, err := q.ClaimMissedPlace(ctx, lease.Seconds(), shard)
		if err != nil || claimed == 0 {
			return nil, err
		}
		part, err := q.LogOfMessages(ctx, shard, logPart)
		if err == nil && len(part) == 0 { // another process has just done it
			err = q.ReleaseMissedPlace(ctx, shard)
		}
		return part, err
	})
	if err != nil || len(part) == 0 {
		return false, err
	}
	stop := db.keepMissedPlace(ctx, shard, lease)
	failed, err := useTwice(ctx, foundIn(part), pause, use)
	stop()
	if err != nil {
		return false, err
	}
	last := part[len(part)-1]
	err = upkeep(ctx, db.everywhere, func(ctx context.Context, q *sqlc.Queries) error {
		return q.MoveMissedPlace(ctx, last.Xid, last.ID, shard)
	})
	return len(part) == logPart, cmp.Or(failed, err)
}

// keepMissedPlace renews the lease of a shard's place until stop is called.
func (db *DB) keepMissedPlace(ctx context.Context, shard int16, lease time.Duration) (stop func()) {
	done, renewing := make(chan struct{}), sync.WaitGroup{}
	renewing.Go(func() {
		ticker := time.NewTicker(lease / 3)
		defer ticker.Stop()
		for {
			select {
			case <-done:
				return
			case <-ticker.C:
			}
			// If it fails, the next one is in time, or the database can't be reached.
			_ = upkeep(ctx, db.everywhere, func(ctx context.Context, q *sqlc.Queries) error {
				return q.KeepMissedPlace(ctx, lease.Seconds(), shard)
			})
		}
	})
	return func() {
		close(done)
		renewing.Wait()
	}
}

// useTwice calls use for all, and once more, after a pause, for those for which it failed. failed is the error of one that failed again.
// err is that of the database, or of the end of ctx, after which nothing more is used.
func useTwice(ctx context.Context, all []MessageBatch, pause time.Duration, use func(MessageBatch) error) (failed, err error) {
	for attempt := range 2 {
		if attempt > 0 && failed != nil {
			select {
			case <-time.After(pause):
			case <-ctx.Done():
				return nil, failed
			}
		}
		again := []MessageBatch(nil)
		failed = nil
		for _, found := range all {
			if err := use(found); err != nil {
				if errors.Is(err, ErrUnavailable) || ctx.Err() != nil {
					return nil, err
				}
				again, failed = append(again, found), cmp.Or(failed, err)
			}
		}
		all = again
	}
	return failed, nil
}

// foundIn returns the messages in a part of a log.
func foundIn(part []sqlc.LogOfMessagesRow) []MessageBatch {
	all := []MessageBatch(nil)
	sent := map[id.Org]int{} // index, in all, of an organization's new messages
	for _, row := range part {
		m := id.Message(row.Message)
		switch at, ok := sent[row.OrgID]; {
		case m == 0:
		case len(row.Notify) > 0:
			all = append(all, MessageBatch{row.OrgID, []id.Message{m}, id.Convert[id.User](row.Notify)})
		case ok:
			all[at].Messages = append(all[at].Messages, m)
		default:
			sent[row.OrgID] = len(all)
			all = append(all, MessageBatch{row.OrgID, []id.Message{m}, nil})
		}
	}
	return all
}

// logPart is how many events one call of [DB.NewMessages] reads.
const logPart = 1000

// DueMissed returns up to limit accounts, of all organizations, to be notified of missed messages, the longest waiting
// first.
func (db *DB) DueMissed(ctx context.Context, limit int32) ([]sqlc.DueMissedRow, error) {
	return query(ctx, db.everywhere, upkeepTime, func(ctx context.Context, q *sqlc.Queries) ([]sqlc.DueMissedRow, error) {
		return q.DueMissed(ctx, limit)
	})
}

// DueDigests returns the organizations whose members are to be sent a digest on this day, in UTC.
func (db *DB) DueDigests(ctx context.Context, day time.Time) ([]id.Org, error) {
	return query(ctx, db.everywhere, upkeepTime, func(ctx context.Context, q *sqlc.Queries) ([]id.Org, error) {
		return q.DueDigests(ctx, int32(day.UTC().Weekday()+6)%7, day.UTC())
	})
}
