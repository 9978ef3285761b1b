package store

import (
	"context"
	"fmt"

	"chatserver.dev/pkg/store/sqlc"
)

// Authenticate gives the account whose API key has this SHA-256, whatever its organization, or
// ErrNotFound. It says nothing of whether the account or its organization is still active: the
// caller has to look.
func (db *DB) Authenticate(ctx context.Context, keyHash []byte) (sqlc.AuthenticateRow, error) {
	account, err := sqlc.New(db.service).Authenticate(ctx, keyHash)
	if err != nil {
		return sqlc.AuthenticateRow{}, fmt.Errorf("look up API key: %w", err)
	}
	return account, nil
}
