package store

import (
	"context"
	"time"
)

// Statement is what [Tx.MessageIDs] asks.
func Statement(narrow Narrow, ranges ...MessageRange) (statement string, args []any) {
	b := &builder{narrow: narrow}
	return b.steps(ranges, false) + "\nselect message_id from found order by message_id", b.args
}

// RowsRead is how many rows of messages the transaction has looked at.
func (tx *Tx) RowsRead(ctx context.Context) (rows int64, err error) {
	err = tx.tx.QueryRow(ctx, `select (seq_tup_read + coalesce(idx_tup_fetch, 0))::bigint from pg_stat_xact_user_tables
		where relname = 'messages'`).Scan(&rows)
	return rows, err
}

// Gathering lets calls share what stores them, see [DB.Send].
type Gathering struct{ gathering }

// Do has a message stored by store, or by the call of another one.
func (g *Gathering) Do(ctx context.Context, limit time.Duration, store func(ctx context.Context)) error {
	s := &sending{turn: make(chan struct{})}
	if err := g.do(ctx, s, limit, func(ctx context.Context, _ []*sending) { store(ctx) }); err != nil {
		return err
	}
	return s.err
}

// Running is how many store at the moment.
func (g *Gathering) Running() int {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	return g.running
}

// Setting is one of the server's in the transaction's session; empty: it has none of the name.
func (tx *Tx) Setting(ctx context.Context, name string) (value string, err error) {
	err = tx.tx.QueryRow(ctx, "select coalesce(current_setting($1, true), '')", name).Scan(&value)
	return value, err
}
