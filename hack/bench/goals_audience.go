//go:build linux

package main

import (
	"context"
	"time"

	"chatserver.dev/pkg/id"
)

// measureAudience is G8: that a message costs the same for 10 subscribers and for 10,000, as long as
// nobody is there.
func (b *bench) measureAudience(ctx context.Context) error {
	p50 := row{Goal: "G8", What: "send p50, 10,000 subscribers against 10", Unit: "ms", Reach: reach{Most: 1.05}}
	cpu := row{Goal: "G8", What: "processor time per message, 10,000 against 10", Unit: "ms", Reach: reach{Most: 1.1}}
	wal := row{Goal: "G8", What: "write-ahead log per message, 10,000 against 10", Unit: "bytes", Reach: reach{Least: 0.95, Most: 1.05}}
	// A page's first change after a checkpoint is logged with the whole page: let that be over.
	if _, err := b.db.Exec(ctx, "checkpoint"); err != nil {
		return err
	}
	if err := b.warmUp(ctx); err != nil {
		return err
	}
	for pair := range b.pairs {
		say("G8, pair %d", pair+1)
		small, err := b.sendTo(ctx, b.org.ten)
		if err != nil {
			return err
		}
		large, err := b.sendTo(ctx, b.org.huge)
		if err != nil {
			return err
		}
		p50.addPair(large.p50, small.p50)
		cpu.addPair(large.cpu, small.cpu)
		wal.addPair(large.wal, small.wal)
	}
	b.table.add(p50, cpu, wal)
	return nil
}

// costs are what one message costs.
type costs struct {
	p50 float64 // milliseconds
	cpu float64 // milliseconds, all servers
	wal float64 // bytes
}

// sendTo lets one client send to one stream. The index of words gathers what is new and works it off
// thousands of messages at a time: that is done before, or it would be in one side's log and not in the
// other's.
func (b *bench) sendTo(ctx context.Context, stream id.Stream) (costs, error) {
	if _, err := b.db.Exec(ctx, "select gin_clean_pending_list('messages_search')"); err != nil {
		return costs{}, err
	}
	if err := settle(ctx, b.servers()); err != nil {
		return costs{}, err
	}
	var result *sent
	var written int64
	requests := [][][]byte{b.messages(sender, stream)}
	busy, err := spend(ctx, b.servers(), func() error {
		var from string
		err := b.db.QueryRow(ctx, "select pg_current_wal_insert_lsn()::text").Scan(&from)
		if err != nil {
			return err
		}
		if result, err = sendFor(ctx, b.api.addr, requests, b.seconds); err != nil {
			return err
		}
		err = b.db.QueryRow(ctx, "select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), $1::text::pg_lsn)::bigint", from).Scan(&written)
		if err != nil {
			return err
		}
		return b.drained(ctx)
	})
	if err != nil {
		return costs{}, err
	}
	if err := result.failure(); err != nil {
		return costs{}, err
	}
	messages := float64(len(result.latencies))
	return costs{
		p50: milliseconds(quantile(result.latencies, 0.5)),
		cpu: milliseconds(busy.total()) / messages,
		wal: float64(written) / messages,
	}, nil
}

// measureRows counts what PostgreSQL writes for messages to 10,000 subscribers.
func (b *bench) measureRows(ctx context.Context) error {
	const messages = 300
	say("rows")
	before, err := b.rowsWritten(ctx)
	if err != nil {
		return err
	}
	conn, err := dial(ctx, b.api.addr)
	if err != nil {
		return err
	}
	defer conn.Close() //nolint:errcheck // everything is answered
	requests := b.messages(sender, b.org.huge)
	for i := range messages {
		if err := conn.accepted(requests[i%len(requests)]); err != nil {
			return err
		}
	}
	if err := b.drained(ctx); err != nil {
		return err
	}
	after, err := b.rowsWritten(ctx)
	if err != nil {
		return err
	}
	b.table.add(row{
		Goal: "rows", What: "PostgreSQL rows written per message to 10,000 subscribers",
		Ours: []float64{float64(after-before) / messages}, Reach: reach{Most: 2},
	})
	return nil
}

// rowsWritten counts all rows that were inserted, updated or deleted, once the sessions have reported:
// an idle one does so within ten seconds.
func (b *bench) rowsWritten(ctx context.Context) (int64, error) {
	if err := pause(ctx, 11*time.Second); err != nil {
		return 0, err
	}
	var rows int64
	err := b.db.QueryRow(ctx, "select sum(n_tup_ins + n_tup_upd + n_tup_del)::bigint from pg_stat_user_tables").Scan(&rows)
	return rows, err
}
