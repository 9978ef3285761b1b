//go:build linux

package main

import (
	"context"
	"fmt"
)

// Numbers of senders, and of pgbench's clients beside them.
const (
	one  = 1
	some = 8
	most = rooms
)

// measureSending is G1, G2 and G3: sending by clients that nobody hears.
func (b *bench) measureSending(ctx context.Context) error {
	floor, err := newPgFloor(ctx, b)
	if err != nil {
		return err
	}
	speed := row{Goal: "G1", What: fmt.Sprintf("messages accepted, %d senders", most), Unit: "1/s", Reach: reach{Least: 0.5}}
	p50 := row{Goal: "G2", What: "send p50, 1 sender", Unit: "ms", Reach: reach{Most: 1.8}}
	p99 := row{Goal: "G2", What: "send p99, 1 sender", Unit: "ms", Reach: reach{Most: 3}}
	cpu := row{Goal: "G3", What: fmt.Sprintf("processor time per message, no receivers, %d senders", some), Unit: "ms", Reach: reach{Most: 2.4}}
	for pair := range b.pairs {
		if _, err := b.db.Exec(ctx, "vacuum (analyze) messages, event_log, floor_messages, floor_log"); err != nil {
			return err
		}
		if b.wants("G2") {
			say("G2, pair %d", pair+1)
			limit, err := floor.run(ctx, one, b.seconds)
			if err != nil {
				return err
			}
			ours, _, err := b.send(ctx, one, true)
			if err != nil {
				return err
			}
			p50.addPair(milliseconds(quantile(ours.latencies, 0.5)), milliseconds(quantile(limit.latencies, 0.5)))
			p99.addPair(milliseconds(quantile(ours.latencies, 0.99)), milliseconds(quantile(limit.latencies, 0.99)))
		}
		if b.wants("G3") {
			say("G3, pair %d", pair+1)
			limit, err := floor.run(ctx, some, b.seconds)
			if err != nil {
				return err
			}
			ours, busy, err := b.send(ctx, some, false)
			if err != nil {
				return err
			}
			messages := float64(len(ours.latencies))
			cpu.addPair(milliseconds(busy.total())/messages, milliseconds(limit.cpu))
			cpu.Note = shares(busy)
		}
		if b.wants("G1") {
			say("G1, pair %d", pair+1)
			limit, err := floor.run(ctx, most, b.seconds)
			if err != nil {
				return err
			}
			ours, _, err := b.send(ctx, most, true)
			if err != nil {
				return err
			}
			speed.addPair(ours.perSecond(), limit.perSecond)
			speed.Note = fmt.Sprintf("p99 of the last run %s ms, pgbench's %s ms",
				number(milliseconds(quantile(ours.latencies, 0.99))), number(milliseconds(quantile(limit.latencies, 0.99))))
		}
	}
	b.table.add(speed, p50, p99, cpu)
	return nil
}

// send lets senders send in their rooms, with or without an event queue each, which nobody polls. It
// returns the processor time of all servers until the log is dispatched, too.
func (b *bench) send(ctx context.Context, senders int, queues bool) (result *sent, busy times, err error) {
	var owners []int
	var requests [][][]byte
	for room := range senders {
		owners = append(owners, roomOwner(room))
		requests = append(requests, b.messages(roomOwner(room), b.org.rooms[room]))
	}
	if queues {
		if err := b.register(ctx, owners...); err != nil {
			return nil, nil, err
		}
	}
	if err := settle(ctx, b.servers()); err != nil {
		return nil, nil, err
	}
	busy, err = spend(ctx, b.servers(), func() error {
		var err error
		if result, err = sendFor(ctx, b.api.addr, requests, b.seconds); err != nil {
			return err
		}
		return b.drained(ctx)
	})
	if err != nil {
		return nil, nil, err
	}
	if err := result.failure(); err != nil {
		return nil, nil, err
	}
	if queues {
		err = b.unregister(ctx, owners...)
	}
	return result, busy, err
}
