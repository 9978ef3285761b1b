package store

import (
	"context"
	"time"

	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/store/sqlc"
)

// TakeDueFiles returns the names of up to limit unused files, of all organizations, which the caller is to remove from
// the storage. If the caller fails, later calls return them again after the time again.
func (db *DB) TakeDueFiles(ctx context.Context, limit int32, again time.Duration) ([]string, error) {
	return query(ctx, db.everywhere, upkeepTime, func(ctx context.Context, q *sqlc.Queries) ([]string, error) {
		return q.TakeDueFiles(ctx, again.Seconds(), limit)
	})
}

// EndRemoved deletes the rows of files that have been removed from the storage.
func (db *DB) EndRemoved(ctx context.Context, paths []string) error {
	return upkeep(ctx, db.everywhere, func(ctx context.Context, q *sqlc.Queries) error { return q.EndRemoved(ctx, paths) })
}

// UnclaimedAttachments returns up to limit uploaded files, of all organizations, that may have been in no message for
// longer than keep.
func (db *DB) UnclaimedAttachments(ctx context.Context, keep time.Duration, limit int32) ([]sqlc.UnclaimedAttachmentsRow, error) {
	return query(ctx, db.everywhere, upkeepTime, func(ctx context.Context, q *sqlc.Queries) ([]sqlc.UnclaimedAttachmentsRow, error) {
		return q.UnclaimedAttachments(ctx, keep.Seconds(), limit)
	})
}

// ClaimAttachments records that uploaded files are in a message, and emits the events for its sender.
func (tx *Tx) ClaimAttachments(ctx context.Context, sender id.User, message id.Message, attachments []id.Attachment) error {
	if len(attachments) == 0 {
		return nil
	}
	tx.emitted = true
	return tx.Queries.ClaimAttachments(ctx, sqlc.ClaimAttachmentsParams{
		Shard: int16(tx.shard), Sender: int64(sender), MessageID: int64(message), // at most 1024 shards
		Wanted: id.Convert[int64](attachments), Trace: traceParent(ctx),
	})
}
