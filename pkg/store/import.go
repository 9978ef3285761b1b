package store

import (
	"context"
)

// ImportRows inserts rows into a table and returns how many it inserted. rows is a slice whose elements are encoded as JSON
// objects with these columns; other columns have their defaults. Existing rows are not changed. Row-level security applies.
//
// The commit doesn't wait for the disk, since imports would spend most of their time on that. If PostgreSQL crashes, the
// transaction and later ones may be lost, each as a whole. An import then continues from the rows that are stored, and its
// last transaction waits for the disk.
func (tx *Tx) ImportRows(ctx context.Context, table string, columns []string, rows any) (inserted int64, err error) {
	encoded, err := encode(rows)
	if err != nil {
		return 0, err
	}
	const query = "select import_rows($1, $2, $3) from (select set_config('synchronous_commit', 'off', true)) hurried"
	err = tx.tx.QueryRow(ctx, query, table, columns, encoded).Scan(&inserted)
	return inserted, wrap(err, "import into "+table)
}
