package store

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/store/sqlc"
)

// DueChange is a change of several steps that nobody has worked on for a while.
type DueChange struct {
	Org      id.Org
	ID       int64
	Kind     string
	Failures int // since the last step that succeeded
}

// DueChanges returns changes of all organizations that are due to be continued, those that wait longest
// first, without those that failed most times or more.
func (db *DB) DueChanges(ctx context.Context, most int) ([]DueChange, error) {
	rows, err := ask(ctx, db.everywhere, upkeepTime, func(ctx context.Context, conn *pgx.Conn) ([]sqlc.DueChangesRow, error) {
		return sqlc.New(conn).DueChanges(ctx, int16(most)) //nolint:gosec // small
	})
	if err != nil {
		return nil, fmt.Errorf("look for changes to continue: %w", err)
	}
	due := make([]DueChange, len(rows))
	for i, row := range rows {
		due[i] = DueChange{Org: row.OrgID, ID: row.ChangeID, Kind: row.Kind, Failures: int(row.Failures)}
	}
	return due, nil
}
