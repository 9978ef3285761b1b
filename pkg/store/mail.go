package store

import (
	"context"

	"chatserver.dev/pkg/store/sqlc"
)

// DueMails returns mail of all organizations to be sent and of one of the kinds, at most that many: what waits longest
// comes first, and what is of patient kinds last.
func (db *DB) DueMails(ctx context.Context, most int32, kinds, patient []string) ([]sqlc.DueMailsRow, error) {
	return query(ctx, db.everywhere, upkeepTime, func(ctx context.Context, q *sqlc.Queries) ([]sqlc.DueMailsRow, error) {
		return q.DueMails(ctx, kinds, patient, most)
	})
}

// StreamByEmailToken returns the active stream of all organizations whose address has a token, or ErrNotFound.
func (db *DB) StreamByEmailToken(ctx context.Context, token string) (sqlc.StreamByEmailTokenRow, error) {
	return query(ctx, db.everywhere, db.everywhere.answer, func(ctx context.Context, q *sqlc.Queries) (sqlc.StreamByEmailTokenRow, error) {
		return q.StreamByEmailToken(ctx, token)
	})
}
