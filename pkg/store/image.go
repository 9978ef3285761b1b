package store

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"chatserver.dev/pkg/store/sqlc"
)

// ImageKeys returns the keys that sign addresses of other servers' images, the newest first. There is at least one,
// of 32 bytes or more, unless somebody deleted all of them.
func (db *DB) ImageKeys(ctx context.Context) ([][]byte, error) {
	keys, err := ask(ctx, db.service, db.service.answer, func(ctx context.Context, conn *pgx.Conn) ([][]byte, error) {
		return sqlc.New(conn).ImageKeys(ctx)
	})
	if err != nil {
		return nil, fmt.Errorf("read the keys for addresses of images: %w", err)
	}
	return keys, nil
}
