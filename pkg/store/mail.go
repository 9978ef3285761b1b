package store

import (
	"context"

	"chatserver.dev/pkg/store/sqlc"
)

// DueMails returns up to limit mails of these kinds that are due, of all organizations, the longest waiting first and
// those of kinds of low priority last.
func (db *DB) DueMails(ctx context.Context, limit int32, kinds, lowPriority []string) ([]sqlc.DueMailsRow, error) {
	return query(ctx, db.everywhere, upkeepTime, func(ctx context.Context, q *sqlc.Queries) ([]sqlc.DueMailsRow, error) {
		return q.DueMails(ctx, kinds, lowPriority, limit)
	})
}

// StreamByEmailToken returns the active stream, of any organization, whose address has this token, or ErrNotFound.
func (db *DB) StreamByEmailToken(ctx context.Context, token string) (sqlc.StreamByEmailTokenRow, error) {
	return query(ctx, db.everywhere, db.everywhere.answer, func(ctx context.Context, q *sqlc.Queries) (sqlc.StreamByEmailTokenRow, error) {
		return q.StreamByEmailToken(ctx, token)
	})
}
