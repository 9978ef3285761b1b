package store

import (
	"context"

	"chatserver.dev/pkg/store/sqlc"
)

// DuePushes returns browsers of all organizations to be notified, those that wait longest first, and so many of an
// organization.
func (db *DB) DuePushes(ctx context.Context, each, most int32) ([]sqlc.DuePushesRow, error) {
	return query(ctx, db.everywhere, upkeepTime, func(ctx context.Context, q *sqlc.Queries) ([]sqlc.DuePushesRow, error) {
		return q.DuePushes(ctx, each, most)
	})
}
