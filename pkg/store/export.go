package store

import (
	"context"
	"time"

	"chatserver.dev/pkg/store/sqlc"
)

// DueExports returns up to limit archives to be made, of all organizations.
func (db *DB) DueExports(ctx context.Context, limit int32) ([]sqlc.DueExportsRow, error) {
	return query(ctx, db.everywhere, upkeepTime, func(ctx context.Context, q *sqlc.Queries) ([]sqlc.DueExportsRow, error) {
		return q.DueExports(ctx, limit)
	})
}

// OldExports returns up to limit archives, of all organizations, that were requested longer ago than keep.
func (db *DB) OldExports(ctx context.Context, keep time.Duration, limit int32) ([]sqlc.OldExportsRow, error) {
	return query(ctx, db.everywhere, upkeepTime, func(ctx context.Context, q *sqlc.Queries) ([]sqlc.OldExportsRow, error) {
		return q.OldExports(ctx, keep.Seconds(), limit)
	})
}
