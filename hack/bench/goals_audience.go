//go:build linux

package main

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"chatserver.dev/pkg/id"
)

// measureAudience measures G8: a message costs the same for 10 subscribers and for 10,000 if none of them is online.
func (b *bench) measureAudience(ctx context.Context) error {
	p50 := b.row("G8", "send p50, 10,000 subscribers against 10", "ms", reach{Max: 1.05})
	cpu := b.row("G8", "processor time per message, 10,000 against 10", "ms", reach{Max: 1.1})
	wal := b.row("G8", "write-ahead log per message, 10,000 against 10", "bytes", reach{Min: 0.95, Max: 1.05})
	// A page's first change after a checkpoint is logged with the whole page: these changes are made before measuring.
	if _, err := b.db.Exec(ctx, "checkpoint"); err != nil {
		return err
	}
	if err := b.warmUp(ctx); err != nil {
		return err
	}
	for range b.turns("G8") {
		small, err := b.sendTo(ctx, b.org.ten)
		if err != nil {
			return err
		}
		large, err := b.sendTo(ctx, b.org.huge)
		if err != nil {
			return err
		}
		p50.addPair(percentile(large.latencies, 50), percentile(small.latencies, 50))
		cpu.addPair(large.perMessage(), small.perMessage())
		wal.addPair(float64(large.wal)/float64(len(large.latencies)), float64(small.wal)/float64(len(small.latencies)))
	}
	return nil
}

// sendTo measures one client that sends to one stream. The index of words collects new entries and inserts those of
// thousands of messages at a time: it does so before, since otherwise only one side's log would include it.
func (b *bench) sendTo(ctx context.Context, stream id.Stream) (*costs, error) {
	if _, err := b.db.Exec(ctx, "select gin_clean_pending_list('messages_search')"); err != nil {
		return nil, err
	}
	return b.send(ctx, [][][]byte{b.messages(sender, stream)})
}

// measureRows counts the rows that PostgreSQL writes for messages to 10,000 subscribers.
func (b *bench) measureRows(ctx context.Context) error {
	const messages = 300
	say("rows")
	requests := b.messages(sender, b.org.huge)
	written, err := rowsWritten(ctx, b.db, "", func() error {
		conn, err := dial(ctx, b.api.addr)
		if err != nil {
			return err
		}
		defer conn.Close() //nolint:errcheck // everything is answered
		for i := range messages {
			if _, err := conn.do(requests[i%len(requests)]); err != nil {
				return err
			}
		}
		return b.drained(ctx)
	})
	r := b.row("rows", "PostgreSQL rows written per message to 10,000 subscribers", "", reach{Max: 2})
	r.Ours = append(r.Ours, float64(written)/messages)
	return err
}

// rowsWritten counts the rows that are inserted, updated or deleted by work in the tables whose names match a regular expression.
func rowsWritten(ctx context.Context, db *pgx.Conn, tables string, work func() error) (int64, error) {
	count := func() (rows int64, err error) {
		if err := pause(ctx, 11*time.Second); err != nil { // idle sessions report every ten seconds
			return 0, err
		}
		err = db.QueryRow(ctx, `select sum(n_tup_ins + n_tup_upd + n_tup_del)::bigint from pg_stat_user_tables
			where relname ~ $1`, tables).Scan(&rows)
		return rows, err
	}
	before, err := count()
	if err != nil {
		return 0, err
	}
	if err := work(); err != nil {
		return 0, err
	}
	after, err := count()
	return after - before, err
}
