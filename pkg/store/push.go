package store

import (
	"context"

	"chatserver.dev/pkg/store/sqlc"
)

// DuePushes returns up to limit browsers to be notified, of all organizations, and at most each of an organization: first
// the longest waiting one of each organization, then the second one of each, and so on.
func (db *DB) DuePushes(ctx context.Context, each, limit int32) ([]sqlc.DuePushesRow, error) {
	return query(ctx, db.everywhere, upkeepTime, func(ctx context.Context, q *sqlc.Queries) ([]sqlc.DuePushesRow, error) {
		return q.DuePushes(ctx, each, limit)
	})
}
