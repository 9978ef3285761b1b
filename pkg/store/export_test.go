package store

import "context"

// Statement is what [Tx.MessageIDs] asks.
func Statement(narrow Narrow, ranges ...MessageRange) (statement string, args []any) {
	b := &builder{narrow: narrow}
	return b.steps(ranges) + "\nselect message_id from found order by message_id", b.args
}

// RowsRead is how many rows of messages the transaction has looked at.
func (tx *Tx) RowsRead(ctx context.Context) (rows int64, err error) {
	err = tx.tx.QueryRow(ctx, `select (seq_tup_read + coalesce(idx_tup_fetch, 0))::bigint from pg_stat_xact_user_tables
		where relname = 'messages'`).Scan(&rows)
	return rows, err
}
