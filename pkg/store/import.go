package store

import (
	"context"
)

// ImportRows inserts rows of a table, a list whose JSON has objects with these columns; the others have their defaults. Rows that are
// there already stay as they are. It returns how many it inserted. Row-level security holds.
func (tx *Tx) ImportRows(ctx context.Context, table string, columns []string, rows any) (inserted int64, err error) {
	encoded, err := encode(rows)
	if err != nil {
		return 0, err
	}
	err = tx.tx.QueryRow(ctx, "select import_rows($1, $2, $3)", table, columns, encoded).Scan(&inserted)
	return inserted, wrap(err, "import into "+table)
}
