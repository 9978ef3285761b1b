//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
)

// Numbers of senders, and of pgbench's clients.
const (
	one     = 1
	some    = 8
	busiest = rooms
)

// measureSending measures G1, G2 and G3: sending without online receivers.
func (b *bench) measureSending(ctx context.Context) error {
	floor, err := newPgFloor(ctx, b)
	if err != nil {
		return err
	}
	speed := b.row("G1", fmt.Sprintf("messages accepted, %d senders", busiest), "1/s", reach{Min: 0.5})
	p50 := b.row("G2", "send p50, 1 sender", "ms", reach{Max: 1.8})
	p99 := b.row("G2", "send p99, 1 sender", "ms", reach{Max: 3})
	cpu := b.row("G3", fmt.Sprintf("processor time per message, no receivers, %d senders", some), "ms", reach{Max: 2.4})
	for pair := range b.pairs {
		if _, err := b.db.Exec(ctx, "vacuum (analyze) messages, event_log, floor_messages, floor_log"); err != nil {
			return err
		}
		for _, g := range []struct {
			goal    string
			senders int
			queues  bool // each sender has an event queue, which isn't polled
			add     func(ours *costs, limit *pgRun)
		}{
			{"G2", one, true, func(ours *costs, limit *pgRun) {
				p50.addPair(percentile(ours.latencies, 50), percentile(limit.latencies, 50))
				p99.addPair(percentile(ours.latencies, 99), percentile(limit.latencies, 99))
			}},
			{"G3", some, false, func(ours *costs, limit *pgRun) {
				cpu.addPair(ours.perMessage(), milliseconds(limit.cpu))
				cpu.Note = shares(ours.busy)
			}},
			{"G1", busiest, true, func(ours *costs, limit *pgRun) {
				speed.addPair(float64(len(ours.latencies))/ours.elapsed.Seconds(), limit.perSecond)
				speed.Note = fmt.Sprintf("p99 of the last run %s ms, pgbench's %s ms",
					number(percentile(ours.latencies, 99)), number(percentile(limit.latencies, 99)))
			}},
		} {
			if !b.wants(g.goal) {
				continue
			}
			say("%s, pair %d", g.goal, pair+1)
			limit, err := floor.run(ctx, g.senders, b.seconds)
			if err != nil {
				return err
			}
			ours, err := b.sendInRooms(ctx, g.senders, g.queues)
			if err != nil {
				return err
			}
			g.add(ours, limit)
		}
	}
	return nil
}

// costs are the result and the costs of sending.
type costs struct {
	*sent

	busy times // of all servers, until the log was dispatched
	wal  int64 // bytes of PostgreSQL's log, until the last answer
}

// perMessage returns the processor time of a message, in milliseconds.
func (c *costs) perMessage() float64 { return milliseconds(c.busy.total()) / float64(len(c.latencies)) }

// sendInRooms measures sending by the owners of rooms, each with or without an event queue.
func (b *bench) sendInRooms(ctx context.Context, senders int, queues bool) (*costs, error) {
	var owners []int
	var requests [][][]byte
	for room := range senders {
		owners = append(owners, roomOwner(room))
		requests = append(requests, b.messages(roomOwner(room), b.org.rooms[room]))
	}
	if !queues {
		return b.send(ctx, requests)
	}
	if err := b.register(ctx, owners...); err != nil {
		return nil, err
	}
	result, err := b.send(ctx, requests)
	return result, errors.Join(err, b.unregister(ctx, owners...))
}

// send measures sending by several senders, after all servers are idle.
func (b *bench) send(ctx context.Context, senders [][][]byte) (*costs, error) {
	if err := settle(ctx, b.servers()); err != nil {
		return nil, err
	}
	result := &costs{}
	busy, err := spend(ctx, b.servers(), func() error {
		var from string
		err := b.db.QueryRow(ctx, "select pg_current_wal_insert_lsn()::text").Scan(&from)
		if err != nil {
			return err
		}
		if result.sent, err = sendFor(ctx, b.api.addr, senders, b.seconds); err != nil {
			return err
		}
		err = b.db.QueryRow(ctx, "select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), $1::text::pg_lsn)::bigint", from).Scan(&result.wal)
		if err != nil {
			return err
		}
		return b.drained(ctx)
	})
	result.busy = busy
	return result, err
}
