package store

import (
	"context"
	"time"

	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/store/sqlc"
)

// Authenticate returns the accounts whose API keys have these SHA-256 hashes, in any organization, each with the
// index of its hash in the list, from 1. It also returns inactive accounts and accounts of inactive organizations:
// the caller checks that.
func (db *DB) Authenticate(ctx context.Context, keyHashes [][]byte) ([]sqlc.AuthenticateRow, error) {
	return query(ctx, db.service, db.service.answer, func(ctx context.Context, q *sqlc.Queries) ([]sqlc.AuthenticateRow, error) {
		return q.Authenticate(ctx, keyHashes)
	})
}

// Changed is when accounts and organizations last changed in a way that affects permissions.
type Changed struct {
	Users       map[id.User]time.Time
	Orgs        map[id.Org]time.Time
	Deactivated map[id.Org]bool // the deactivated ones of Orgs
}

// ChangedWithin returns all accounts and organizations that changed within the last period. The period must be longer
// than any transaction takes, since a change has the time when it was made, but is visible only when it is committed.
func (db *DB) ChangedWithin(ctx context.Context, within time.Duration) (Changed, error) {
	users, err := query(ctx, db.everywhere, db.everywhere.answer, func(ctx context.Context, q *sqlc.Queries) ([]sqlc.ChangedAccountsRow, error) {
		return q.ChangedAccounts(ctx, within.Seconds())
	})
	if err != nil {
		return Changed{}, err
	}
	orgs, err := query(ctx, db.everywhere, db.everywhere.answer, func(ctx context.Context, q *sqlc.Queries) ([]sqlc.ChangedOrganizationsRow, error) {
		return q.ChangedOrganizations(ctx, within.Seconds())
	})
	if err != nil {
		return Changed{}, err
	}
	changed := Changed{Users: make(map[id.User]time.Time, len(users)), Orgs: make(map[id.Org]time.Time, len(orgs)), Deactivated: map[id.Org]bool{}}
	for _, row := range users {
		changed.Users[row.UserID] = row.ChangedAt
	}
	for _, row := range orgs {
		changed.Orgs[row.OrgID] = row.ChangedAt
		if row.Deactivated {
			changed.Deactivated[row.OrgID] = true
		}
	}
	return changed, nil
}
