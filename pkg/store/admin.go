package store

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/store/sqlc"
)

// OrganizationByKey returns the organization with a machine's key, or ErrNotFound.
func (db *DB) OrganizationByKey(ctx context.Context, key string) (id.Org, error) {
	org, err := ask(ctx, db.everywhere, db.everywhere.answer, func(ctx context.Context, conn *pgx.Conn) (id.Org, error) {
		return sqlc.New(conn).OrganizationByExternalKey(ctx, key)
	})
	if err != nil {
		return 0, fmt.Errorf("find organization with the key %q: %w", key, err)
	}
	return org, nil
}

// CountOrganizations returns all organizations with the numbers of what is in them. It reads an entry of
// an index for each account and stream.
func (db *DB) CountOrganizations(ctx context.Context) ([]sqlc.OrganizationCountsRow, error) {
	rows, err := ask(ctx, db.everywhere, upkeepTime, func(ctx context.Context, conn *pgx.Conn) ([]sqlc.OrganizationCountsRow, error) {
		return sqlc.New(conn).OrganizationCounts(ctx)
	})
	if err != nil {
		return nil, fmt.Errorf("count organizations: %w", err)
	}
	return rows, nil
}

// Erase removes up to most rows of an organization that is to be deleted, in a transaction of its own,
// and returns how many there were; 0: nothing is left of it, in any table.
func (db *DB) Erase(ctx context.Context, org id.Org, most int) (rows int64, err error) {
	err = db.Write(ctx, org, func(tx *Tx) (err error) {
		rows, err = tx.EraseOrganization(ctx, int32(most)) //nolint:gosec // a few thousand
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("erase organization %d: %w", org, err)
	}
	return rows, nil
}
