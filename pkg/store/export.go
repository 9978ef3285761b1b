package store

import (
	"context"
	"time"

	"chatserver.dev/pkg/store/sqlc"
)

// DueExports returns at most that many archives to make, of all organizations.
func (db *DB) DueExports(ctx context.Context, most int32) ([]sqlc.DueExportsRow, error) {
	return query(ctx, db.everywhere, upkeepTime, func(ctx context.Context, q *sqlc.Queries) ([]sqlc.DueExportsRow, error) {
		return q.DueExports(ctx, most)
	})
}

// OldExports returns archives, of all organizations, that were asked for that long ago: most at most.
func (db *DB) OldExports(ctx context.Context, keep time.Duration, most int32) ([]sqlc.OldExportsRow, error) {
	return query(ctx, db.everywhere, upkeepTime, func(ctx context.Context, q *sqlc.Queries) ([]sqlc.OldExportsRow, error) {
		return q.OldExports(ctx, keep.Seconds(), most)
	})
}
