package store

import (
	"context"
)

// ImportRows inserts rows into a table. They are a list that is encoded as JSON objects with these columns; other columns have their
// defaults. Rows that are there already stay as they are. It returns how many it inserted. Row-level security holds.
//
// The commit doesn't wait for the disk: imports would otherwise hardly do anything else. If PostgreSQL crashes, the transaction is lost as a
// whole, with those after it: an import continues from what is there, and its last transaction is one that waits.
func (tx *Tx) ImportRows(ctx context.Context, table string, columns []string, rows any) (inserted int64, err error) {
	encoded, err := encode(rows)
	if err != nil {
		return 0, err
	}
	const query = "select import_rows($1, $2, $3) from (select set_config('synchronous_commit', 'off', true)) hurried"
	err = tx.tx.QueryRow(ctx, query, table, columns, encoded).Scan(&inserted)
	return inserted, wrap(err, "import into "+table)
}
