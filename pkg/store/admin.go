package store

import (
	"context"
	"errors"
	"time"

	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/store/sqlc"
)

// OrganizationByKey returns the organization with an external key, or ErrNotFound.
func (db *DB) OrganizationByKey(ctx context.Context, key string) (id.Org, error) {
	return query(ctx, db.everywhere, db.everywhere.answer, func(ctx context.Context, q *sqlc.Queries) (id.Org, error) {
		return q.OrganizationByExternalKey(ctx, key)
	})
}

// CountOrganizations returns all organizations with their numbers of accounts and streams. It reads one index entry
// for each account and stream.
func (db *DB) CountOrganizations(ctx context.Context) ([]sqlc.OrganizationCountsRow, error) {
	return query(ctx, db.everywhere, upkeepTime, func(ctx context.Context, q *sqlc.Queries) ([]sqlc.OrganizationCountsRow, error) {
		return q.OrganizationCounts(ctx)
	})
}

// Erase removes up to limit rows of an organization that is being deleted, in its own transaction, and returns how many
// it removed; 0: no table has a row of the organization.
func (db *DB) Erase(ctx context.Context, org id.Org, limit int32) (rows int64, err error) {
	err = db.Write(ctx, org, func(tx *Tx) (err error) {
		rows, err = tx.EraseOrganization(ctx, limit)
		return err
	})
	return rows, wrap(err, "erase an organization")
}

// errNoImageKey says that all keys were deleted.
var errNoImageKey = errors.New("there is no key for addresses of images and files: run \"insert into image_keys default values\" as the database's owner")

// ImageKeys returns the keys that sign addresses of images and files, and links that end mail, the newest first. Each has 32 bytes
// or more. It fails if there is none.
func (db *DB) ImageKeys(ctx context.Context) ([][]byte, error) {
	keys, err := query(ctx, db.service, db.service.answer, func(ctx context.Context, q *sqlc.Queries) ([][]byte, error) { return q.ImageKeys(ctx) })
	if err == nil && len(keys) == 0 {
		err = errNoImageKey
	}
	return keys, err
}

// destroyAtOnce is the maximum number of deleted messages that one transaction destroys.
const destroyAtOnce = 500

// DestroyDeleted destroys the messages that were deleted longer ago than keep, in all organizations, in short
// transactions.
func (db *DB) DestroyDeleted(ctx context.Context, keep time.Duration) error {
	for {
		destroyed, err := query(ctx, db.everywhere, upkeepTime, func(ctx context.Context, q *sqlc.Queries) (int64, error) {
			return q.DestroyDeletedMessages(ctx, keep.Seconds(), destroyAtOnce)
		})
		if err != nil || destroyed < destroyAtOnce {
			return err
		}
	}
}

// RetainingOrganizations returns the organizations that limit how long some of their messages are kept.
func (db *DB) RetainingOrganizations(ctx context.Context) ([]id.Org, error) {
	return query(ctx, db.everywhere, upkeepTime, func(ctx context.Context, q *sqlc.Queries) ([]id.Org, error) {
		return q.RetainingOrganizations(ctx)
	})
}

// DueChanges returns changes in several steps that no process has worked on for a while: of each organization the one of
// these kinds that has waited longest, and these in order. It leaves out changes that have failed maxFailures times or more.
func (db *DB) DueChanges(ctx context.Context, maxFailures int16, kinds []string) ([]sqlc.DueChangesRow, error) {
	return query(ctx, db.everywhere, upkeepTime, func(ctx context.Context, q *sqlc.Queries) ([]sqlc.DueChangesRow, error) {
		return q.DueChanges(ctx, maxFailures, kinds)
	})
}

// OrgsWithDueScheduled returns up to limit active organizations that have due scheduled messages, beginning with the
// one whose message has been due for longest.
func (db *DB) OrgsWithDueScheduled(ctx context.Context, now time.Time, limit int32) ([]id.Org, error) {
	return query(ctx, db.everywhere, upkeepTime, func(ctx context.Context, q *sqlc.Queries) ([]id.Org, error) {
		return q.OrgsWithDueScheduled(ctx, now, limit)
	})
}

// DueWebhookCalls returns up to limit due calls of outgoing webhook bots, of all organizations: first the call of each
// organization that has waited longest, then the second one of each, and so on. It returns at most one call per bot,
// and perOrg calls per organization.
func (db *DB) DueWebhookCalls(ctx context.Context, perOrg, limit int) ([]sqlc.DueWebhookCallsRow, error) {
	return query(ctx, db.everywhere, upkeepTime, func(ctx context.Context, q *sqlc.Queries) ([]sqlc.DueWebhookCallsRow, error) {
		return q.DueWebhookCalls(ctx, int32(perOrg), int32(limit))
	})
}
