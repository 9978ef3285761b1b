package store

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/store/sqlc"
)

// EmitAll is [Tx.Emit] for any number of events, in their order and in one statement.
func (tx *Tx) EmitAll(ctx context.Context, events []event.Event) error {
	params := sqlc.InsertEventsParams{Shard: int16(tx.shard), Trace: traceParent(ctx)} //nolint:gosec // at most 1024 shards
	for _, e := range events {
		payload, err := event.Encode(e)
		if err != nil {
			return err
		}
		audience, err := encode(e.Audience())
		if err != nil {
			return err
		}
		change := "" // none
		if c := event.ChangeOf(e); c != nil {
			if change, err = encode(c); err != nil {
				return err
			}
		}
		params.Types = append(params.Types, e.Kind().Type)
		params.Payloads = append(params.Payloads, string(payload))
		params.Audiences = append(params.Audiences, audience)
		params.Changes = append(params.Changes, change)
	}
	if len(events) == 0 {
		return nil
	}
	if err := tx.InsertEvents(ctx, params); err != nil {
		return fmt.Errorf("record %d events: %w", len(events), err)
	}
	tx.emitted = true
	return nil
}

// destroyAtOnce bounds how many deleted messages one transaction destroys.
const destroyAtOnce = 500

// DestroyDeleted ends the messages of all organizations that were deleted longer ago than keep, in short
// transactions.
func (db *DB) DestroyDeleted(ctx context.Context, keep time.Duration) error {
	for {
		destroyed, err := ask(ctx, db.everywhere, upkeepTime, func(ctx context.Context, conn *pgx.Conn) (int64, error) {
			return sqlc.New(conn).DestroyDeletedMessages(ctx, keep.Seconds(), destroyAtOnce)
		})
		if err != nil {
			return fmt.Errorf("destroy deleted messages: %w", err)
		}
		if destroyed < destroyAtOnce {
			return nil
		}
	}
}
