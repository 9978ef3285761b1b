//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/redis/go-redis/v9"

	"chatserver.dev/pkg/localserver"
	"chatserver.dev/pkg/queue"
)

// measureShards measures S2: the quantities of G3, G4 and G9 with a Redis Cluster of three nodes, compared with one
// Redis.
func (b *bench) measureShards(ctx context.Context) (err error) {
	c, err := b.openShards(ctx)
	defer func() { err = errors.Join(err, c.installation.close(ctx), c.closeStore()) }()
	if err != nil {
		return err
	}
	if err := b.unregisterAll(ctx); err != nil {
		return err
	}
	subscribers := make([]int, live)
	for i := range subscribers {
		subscribers[i] = sender - 9_999 + i
	}
	crowd, requests := subscribers[:crowdSize-1], b.messages(sender, b.org.huge)
	message := b.row("S2", fmt.Sprintf("processor time per message, no receivers, %d senders, three Redis servers against one", some), "ms", reach{Max: 1.2})
	delivery := b.row("S2", fmt.Sprintf("processor time per delivery, %d parked, three Redis servers against one", len(crowd)), "µs", reach{Max: 1.2})
	calls := b.row("S2", fmt.Sprintf("longest call of Redis in a message to %d queues, median, three Redis servers against one", live), "ms", reach{Max: 1.2})
	// Sending is measured before there are queues, so that there are no deliveries.
	for range b.turns("S2, sending") {
		one, err := b.sendInRooms(ctx, some, false)
		if err != nil {
			return err
		}
		three, err := c.sendInRooms(ctx, some, false)
		if err != nil {
			return err
		}
		message.addPair(three.perMessage(), one.perMessage())
		message.Note = shares(three.busy)
	}
	for _, side := range []*bench{b, c} {
		if err := side.register(ctx, crowd...); err != nil {
			return err
		}
	}
	for range b.turns("S2, delivering") {
		var sides [2]fanout
		for i, side := range []*bench{b, c} {
			if sides[i], err = side.fanout(ctx, newCrowd, side.events.addr, side.api.addr, side.queuesOf(crowd), side.servers()); err != nil {
				return err
			}
		}
		delivery.addPair(microseconds(sides[1].cpu), microseconds(sides[0].cpu))
		delivery.Note = shares(sides[1].busy)
	}
	for _, side := range []*bench{b, c} {
		if err := side.register(ctx, subscribers...); err != nil {
			return err
		}
	}
	for range b.turns("S2, calls") {
		var tops [2]float64
		for i, side := range []*bench{b, c} {
			all, note, err := side.longestCalls(ctx, side.queuesOf(subscribers[:parked]), requests)
			if err != nil {
				return err
			}
			tops[i], calls.Note = median(all), note
		}
		calls.addPair(tops[1], tops[0])
	}
	return nil
}

// openShards creates a database like the first one, and servers for it with a Redis Cluster. The result must be closed
// even if it fails.
func (b *bench) openShards(ctx context.Context) (*bench, error) {
	c := &bench{options: b.options, dir: b.dir, postgres: b.postgres, texts: b.texts, queues: map[int]*eventQueue{}}
	if _, err := b.db.Exec(ctx, "create database shards"); err != nil {
		return c, err
	}
	cluster, err := localserver.StartRedisCluster(ctx, 3, localserver.Options{Dir: b.data("cluster"), Durable: true})
	if err != nil {
		return c, err
	}
	c.others = cluster.Nodes
	if err := c.migrate(ctx, b.postgres.URL("shards"), func() (err error) {
		c.org, err = c.populate(ctx)
		return err
	}); err != nil {
		return c, err
	}
	if err := c.serve(ctx, c, b.postgres.URL("shards"), queue.Config{URL: cluster.URL, Topology: "cluster"}); err != nil {
		return c, err
	}
	// One of the nodes has the organization's shard: the others refuse its keys.
	for i, node := range cluster.Nodes {
		store := redis.NewClient(&redis.Options{Network: "unix", Addr: node.Socket()})
		if err := store.Exists(ctx, fmt.Sprintf("{s%d}:cursor", c.org.shard)).Err(); err != nil {
			_ = store.Close()
			continue
		}
		c.redis, c.others, c.store = node, slices.Delete(slices.Clone(cluster.Nodes), i, i+1), store
		return c, c.warmUp(ctx)
	}
	return c, errors.New("no node has the organization's shard")
}
