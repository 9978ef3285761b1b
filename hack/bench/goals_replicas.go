//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"chatserver.dev/pkg/queue"
)

// sharing is how long several processes of events take to distribute the shards: a lease has to end, and each process
// has to count the others.
const sharing = 5 * time.Second

// measureReplicas measures S1: a delivery and a message cost the same with several processes of events as with one. The
// clients are distributed over them.
func (b *bench) measureReplicas(ctx context.Context) (err error) {
	crowd := make([]int, crowdSize-rooms*members)
	for i := range crowd {
		crowd[i] = rooms*members + i + 1 // accounts that aren't in a room
	}
	if err := b.unregisterAll(ctx); err != nil {
		return err
	}
	if err := b.register(ctx, crowd...); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.stopReplicas()) }()
	for range b.turns("S1") {
		var delivery, message float64 // with one process
		for _, replicas := range []int{1, 2, 4} {
			if err := b.scale(ctx, replicas); err != nil {
				return err
			}
			addrs := []string{b.events.addr}
			for _, s := range b.replicas {
				addrs = append(addrs, s.addr)
			}
			fanout, err := b.fanout(ctx, newCrowdAt(addrs), "", b.api.addr, b.queuesOf(crowd), b.servers())
			if err != nil {
				return err
			}
			sent, err := b.sendInRooms(ctx, some, false)
			if err != nil {
				return err
			}
			if replicas == 1 {
				delivery, message = microseconds(fanout.cpu), sent.perMessage()
				continue
			}
			cpu := b.again("S1", fmt.Sprintf("processor time per delivery, %d parked, %d processes of events against one", len(crowd), replicas), "µs", reach{Max: 1.15})
			cpu.addPair(microseconds(fanout.cpu), delivery)
			cpu.Note = shares(fanout.busy)
			cpu = b.again("S1", fmt.Sprintf("processor time per message, no receivers, %d processes of events against one", replicas), "ms", reach{Max: 1.15})
			cpu.addPair(sent.perMessage(), message)
			cpu.Note = shares(sent.busy)
		}
		if err := b.stopReplicas(); err != nil {
			return err
		}
	}
	return nil
}

// scale starts processes of events until there are replicas of them.
func (b *bench) scale(ctx context.Context, replicas int) error {
	for len(b.replicas)+1 < replicas {
		s, err := b.startService(ctx, "events", b.postgres.URL("postgres"), queue.Config{URL: b.redis.URL()})
		if s != nil {
			b.replicas = append(b.replicas, s)
		}
		if err != nil {
			return err
		}
	}
	return pause(ctx, sharing)
}

func (n *installation) stopReplicas() error {
	var errs []error
	for _, s := range n.replicas {
		errs = append(errs, s.stop())
	}
	n.replicas = nil
	return errors.Join(errs...)
}
