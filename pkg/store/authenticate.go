package store

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/store/sqlc"
)

// Authenticate returns the accounts whose API keys have these SHA-256, whatever their organizations, each with the
// place of its hash in the list, from 1. It says nothing of whether the account or its organization is still
// active: the caller has to look.
func (db *DB) Authenticate(ctx context.Context, keyHashes [][]byte) ([]sqlc.AuthenticateRow, error) {
	accounts, err := ask(ctx, db.service, db.service.answer, func(ctx context.Context, conn *pgx.Conn) ([]sqlc.AuthenticateRow, error) {
		return sqlc.New(conn).Authenticate(ctx, keyHashes)
	})
	if err != nil {
		return nil, fmt.Errorf("look up API keys: %w", err)
	}
	return accounts, nil
}

// Changed says when accounts and organizations were changed last, in what matters for who may do what.
type Changed struct {
	Users map[id.User]time.Time
	Orgs  map[id.Org]time.Time
}

// ChangedWithin returns all accounts and organizations that were changed within a time up to now. That
// time should be longer than any transaction takes: a change counts from when it is made, and shows
// when it is committed.
func (db *DB) ChangedWithin(ctx context.Context, within time.Duration) (Changed, error) {
	users, err := ask(ctx, db.everywhere, db.everywhere.answer, func(ctx context.Context, conn *pgx.Conn) ([]sqlc.ChangedAccountsRow, error) {
		return sqlc.New(conn).ChangedAccounts(ctx, within.Seconds())
	})
	if err != nil {
		return Changed{}, fmt.Errorf("read changed accounts: %w", err)
	}
	orgs, err := ask(ctx, db.everywhere, db.everywhere.answer, func(ctx context.Context, conn *pgx.Conn) ([]sqlc.ChangedOrganizationsRow, error) {
		return sqlc.New(conn).ChangedOrganizations(ctx, within.Seconds())
	})
	if err != nil {
		return Changed{}, fmt.Errorf("read changed organizations: %w", err)
	}
	changed := Changed{Users: make(map[id.User]time.Time, len(users)), Orgs: make(map[id.Org]time.Time, len(orgs))}
	for _, row := range users {
		changed.Users[row.UserID] = row.ChangedAt
	}
	for _, row := range orgs {
		changed.Orgs[row.OrgID] = row.ChangedAt
	}
	return changed, nil
}
