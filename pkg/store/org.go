package store

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"

	"github.com/jackc/pgx/v5"

	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/store/sqlc"
)

// FindOrganization returns the organization with a subdomain, in lower case and empty for the root
// domain, or ErrNotFound.
func (db *DB) FindOrganization(ctx context.Context, subdomain string) (id.Org, error) {
	found, err := ask(ctx, db.service, db.service.answer, func(ctx context.Context, conn *pgx.Conn) (int64, error) {
		return sqlc.New(conn).FindOrganization(ctx, subdomain)
	})
	if err != nil {
		return 0, fmt.Errorf("find organization %q: %w", subdomain, err)
	}
	if found == 0 {
		return 0, ErrNotFound
	}
	return id.Org(found), nil
}

// NewOrganization runs work in the first transaction of an organization that is yet to be: work
// creates it (Tx.CreateOrganization) and what it begins with, all of it or nothing.
func (db *DB) NewOrganization(ctx context.Context, work func(tx *Tx) error) (id.Org, error) {
	next, err := ask(ctx, db.service, db.service.answer, func(ctx context.Context, conn *pgx.Conn) (int64, error) {
		return sqlc.New(conn).NextOrganization(ctx)
	})
	if err != nil {
		return 0, fmt.Errorf("take an organization's id: %w", err)
	}
	org := id.Org(next)
	return org, db.Write(ctx, org, work)
}

// EncodeSettings returns the JSON that is stored for settings, a struct: the members that differ from
// the defaults, so that a changed default reaches everybody who never chose.
func EncodeSettings[S any](settings, defaults S) (json.RawMessage, error) {
	chosen, err := members(settings)
	if err != nil {
		return nil, err
	}
	usual, err := members(defaults)
	if err != nil {
		return nil, err
	}
	maps.DeleteFunc(chosen, func(name string, value any) bool { return reflect.DeepEqual(value, usual[name]) })
	encoded, err := json.Marshal(chosen)
	if err != nil {
		return nil, fmt.Errorf("encode settings: %w", err)
	}
	return encoded, nil
}

func members(settings any) (map[string]any, error) {
	encoded, err := json.Marshal(settings)
	if err != nil {
		return nil, fmt.Errorf("encode settings: %w", err)
	}
	out := map[string]any{}
	if err := json.Unmarshal(encoded, &out); err != nil {
		return nil, fmt.Errorf("settings are no object: %w", err)
	}
	return out, nil
}

// DecodeSettings reads what [EncodeSettings] gave, over the defaults.
func DecodeSettings[S any](stored json.RawMessage, defaults S) (S, error) {
	if string(stored) == "{}" { // most accounts'
		return defaults, nil
	}
	if err := json.Unmarshal(stored, &defaults); err != nil {
		return defaults, fmt.Errorf("decode stored settings: %w", err)
	}
	return defaults, nil
}
