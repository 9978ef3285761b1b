package store

import (
	"context"
	"encoding/json"

	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/jsonmembers"
	"chatserver.dev/pkg/store/sqlc"
)

// FindOrganization returns the organization with a subdomain, in lower case and empty for the root
// domain, or ErrNotFound.
func (db *DB) FindOrganization(ctx context.Context, subdomain string) (id.Org, error) {
	found, err := query(ctx, db.service, db.service.answer, func(ctx context.Context, q *sqlc.Queries) (int64, error) {
		return q.FindOrganization(ctx, subdomain)
	})
	if err != nil {
		return 0, err
	}
	if found == 0 {
		return 0, ErrNotFound
	}
	return id.Org(found), nil
}

// NewOrganization runs work in the first transaction of a new organization, whose id it returns. work creates the
// organization (Tx.CreateOrganization) and its first accounts and streams.
func (db *DB) NewOrganization(ctx context.Context, work func(tx *Tx) error) (id.Org, error) {
	next, err := query(ctx, db.service, db.service.answer, func(ctx context.Context, q *sqlc.Queries) (int64, error) {
		return q.NextOrganization(ctx)
	})
	if err != nil {
		return 0, err
	}
	org := id.Org(next)
	return org, db.Write(ctx, org, work)
}

// EncodeSettings returns the JSON that is stored for settings, a struct: only the members that differ from the defaults,
// so that a changed default applies wherever no value was chosen.
func EncodeSettings[S any](settings, defaults S) (json.RawMessage, error) {
	chosen, err := jsonmembers.Differing(settings, defaults)
	if err != nil {
		return nil, err
	}
	encoded, err := json.Marshal(chosen)
	return encoded, wrap(err, "encode settings")
}

// DecodeSettings decodes the result of [EncodeSettings]. Members that are missing have their defaults.
func DecodeSettings[S any](stored json.RawMessage, defaults S) (S, error) {
	if string(stored) == "{}" { // most accounts'
		return defaults, nil
	}
	err := json.Unmarshal(stored, &defaults)
	return defaults, wrap(err, "decode stored settings")
}
