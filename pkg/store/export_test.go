package store

import (
	"context"
	"log/slog"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/store/sqlc"
)

// Statement returns the statement of [Tx.MessageIDs].
func Statement(narrow Narrow, ranges ...MessageRange) (statement string, args []any) {
	b := &builder{narrow: narrow}
	return b.steps(ranges, false) + "\nselect message_id from found order by message_id", b.args
}

// RowsRead returns the number of rows of a table that the transaction has read.
func (tx *Tx) RowsRead(ctx context.Context, table string) (rows int64, err error) {
	err = tx.tx.QueryRow(ctx, `select (seq_tup_read + coalesce(idx_tup_fetch, 0))::bigint from pg_stat_xact_user_tables
		where relname = $1`, table).Scan(&rows)
	return rows, err
}

// SendBatcher stores messages together, see [DB.Send].
type SendBatcher struct{ sendBatcher }

// Do stores a message by a call of store, its own or another call's.
func (b *SendBatcher) Do(ctx context.Context, limit time.Duration, store func(ctx context.Context)) error {
	s := &sending{ready: make(chan struct{})}
	if err := b.do(ctx, s, limit, func(ctx context.Context, _ []*sending) { store(ctx) }); err != nil {
		return err
	}
	return s.err
}

// Patience is how long a few messages wait for a transaction to end before they begin another one.
const Patience = patience

// Waiting returns the number of messages that wait for a transaction.
func (b *SendBatcher) Waiting() int {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	return len(b.waiting)
}

// Running returns the number of calls of store in progress.
func (b *SendBatcher) Running() int {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	return b.running
}

// SendBatch runs a batch as messages are sent.
func (db *DB) SendBatch(ctx context.Context, batch *pgx.Batch) error {
	return db.sendBatch(ctx, batch, func(results pgx.BatchResults) error {
		_, err := results.Exec()
		return err
	})
}

// MigrateTo is Migrate up to a version.
func MigrateTo(ctx context.Context, connString string, version int64) error {
	provider, closeDB, err := migrator(connString, slog.New(slog.DiscardHandler))
	if err != nil {
		return err
	}
	defer closeDB()
	_, err = provider.UpTo(ctx, version)
	return err
}

// Reconnect replaces all connections.
func (db *DB) Reconnect() { db.service.connections.Reset() }

// Setting returns a setting of the server in the transaction's session; empty: there is none with the name.
func (tx *Tx) Setting(ctx context.Context, name string) (value string, err error) {
	err = tx.tx.QueryRow(ctx, "select coalesce(current_setting($1, true), '')", name).Scan(&value)
	return value, err
}

// Execute runs a statement without parameters or result.
func (tx *Tx) Execute(ctx context.Context, statement string) error {
	_, err := tx.tx.Exec(ctx, statement)
	return err
}

// ExplainRead reads the log on a connection, calls meanwhile, and returns the plan with which PostgreSQL then reads
// the log on that connection, as JSON.
func (l Log) ExplainRead(ctx context.Context, meanwhile func()) (plan []byte, err error) {
	return l.explain(ctx, func(q *sqlc.Queries) error {
		_, err := q.ReadLog(ctx, sqlc.ReadLogParams{MaxRows: 1, MaxBytes: 1})
		return err
	}, meanwhile, "ReadLog :many", "(0::int2, '0', 0, '{}', 10, 1000)")
}

// ExplainMissed is like ExplainRead, with the statements that look for messages of a shard that people may have missed.
func (l Log) ExplainMissed(ctx context.Context, meanwhile func()) (places, messages []byte, err error) {
	places, err = l.explain(ctx, func(q *sqlc.Queries) error {
		_, err := q.MissedPlaces(ctx)
		return err
	}, meanwhile, "MissedPlaces :many", "")
	if err != nil {
		return nil, nil, err
	}
	messages, err = l.explain(ctx, func(q *sqlc.Queries) error {
		_, err := q.LogOfMessages(ctx, 0, 1)
		return err
	}, func() {}, "LogOfMessages :many", "(0::int2, 10)")
	return places, messages, err
}

// explain calls prepare on a connection, then meanwhile, and returns the plan of a statement that prepare has used.
func (l Log) explain(ctx context.Context, prepare func(q *sqlc.Queries) error, meanwhile func(), statement, args string) (plan []byte, err error) {
	return ask(ctx, l.db.everywhere, time.Minute, func(ctx context.Context, conn *pgx.Conn) ([]byte, error) {
		if err := prepare(sqlc.New(conn)); err != nil {
			return nil, err
		}
		meanwhile()
		name := ""
		if err := conn.QueryRow(ctx, "select name from pg_prepared_statements where statement like '-- name: "+statement+"%'").Scan(&name); err != nil {
			return nil, err
		}
		err := conn.QueryRow(ctx, "explain (analyze, format json) execute "+name+args).Scan(&plan)
		return plan, err
	})
}

// LookEvery sets the interval of the watch. Call it before the watch runs.
func (w *ReplicaWatch) LookEvery(period time.Duration) { w.period = period }

// SendStatement returns a statement, without parameters, that stores a message as [DB.Send] does. It fails if nothing is stored.
func (db *DB) SendStatement(ctx context.Context, org id.Org, m NewMessage) (string, error) {
	s, err := newSending(ctx, org, db.Shard(org), m)
	if err != nil {
		return "", err
	}
	lists := []string(nil)
	for _, text := range []string{s.message, s.content, s.html, s.payload} {
		lists = append(lists, "array['"+strings.ReplaceAll(text, "'", "''")+"']")
	}
	lists[0] += "::json[]"
	return "select 1 / (send_messages(true, " + strings.Join(lists, ", ") + "))[1]", nil
}
