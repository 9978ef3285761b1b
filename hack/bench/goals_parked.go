//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	parked = 9_500  // as many as 20,000 file descriptors allow for
	live   = 10_000 // queues of one stream
	quiet  = 5 * time.Second
)

// measureParked is G7 and G9: the memory of polls that wait, and how long one call keeps Redis from
// everything else when all of their queues get a message.
func (b *bench) measureParked(ctx context.Context) error {
	subscribers := make([]int, live)
	for i := range subscribers {
		subscribers[i] = sender - 9_999 + i
	}
	say("G7 and G9: registering %d queues", len(subscribers))
	if err := b.register(ctx, subscribers...); err != nil {
		return err
	}
	waiting := subscribers[:parked]
	answer := []byte(firstEvent + "0}]}") // nobody gets one
	memory := row{Goal: "G7", What: fmt.Sprintf("memory of events per parked poll, %d parked", parked), Unit: "KB", Reach: reach{Most: 1.25}}
	if b.wants("G7") {
		limit, err := b.floorMemory(ctx, waiting, answer)
		if err != nil {
			return fmt.Errorf("floor: %w", err)
		}
		memory.Floor = []float64{limit}
	}
	// What earlier work has left in the heap is no part of it.
	if err := b.events.restart(ctx); err != nil {
		return err
	}
	if err := b.probe(ctx); err != nil {
		return err
	}
	if err := settle(ctx, b.servers()); err != nil {
		return err
	}
	before, err := resident(b.events.pid())
	if err != nil {
		return err
	}
	say("G7 and G9: parking %d polls", parked)
	c, err := newCrowd(ctx, b.events.addr, b.queuesOf(waiting))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.close()) }()
	after, err := afterQuiet(ctx, b.servers(), b.events.pid())
	if err != nil {
		return err
	}
	if err := c.failure(); err != nil {
		return err
	}
	if b.wants("G7") {
		memory.Ours = []float64{float64(after-before) / parked / 1024}
		memory.Note = fmt.Sprintf("%d MB before, %d MB with all parked", before>>20, after>>20)
		b.table.add(memory)
	}
	if b.wants("G9") {
		return b.measureCalls(ctx, c)
	}
	return nil
}

// afterQuiet gives a process's memory when all servers have been at rest for a while.
func afterQuiet(ctx context.Context, servers []int, pid int) (int64, error) {
	if err := settle(ctx, servers); err != nil {
		return 0, err
	}
	if err := pause(ctx, quiet); err != nil {
		return 0, err
	}
	return resident(pid)
}

// floorMemory gives the floor's memory per parked poll in KB.
func (b *bench) floorMemory(ctx context.Context, waiting []int, answer []byte) (_ float64, err error) {
	floor, err := b.startFloor(ctx, answer)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, floor.kill()) }()
	before, err := resident(floor.pid())
	if err != nil {
		return 0, err
	}
	c, err := newCrowd(ctx, floor.addr, freshQueues(len(waiting), b.queues[waiting[0]].ID))
	if err != nil {
		return 0, err
	}
	after, err := afterQuiet(ctx, []int{floor.pid()}, floor.pid())
	return float64(after-before) / float64(len(waiting)) / 1024, errors.Join(err, c.failure(), c.close())
}

// measureCalls sends messages to all queues and looks for Redis's longest calls.
func (b *bench) measureCalls(ctx context.Context, c *crowd) error {
	const messages = 10
	conn, err := dial(ctx, b.api.addr)
	if err != nil {
		return err
	}
	defer conn.Close() //nolint:errcheck // everything is answered
	for name, value := range map[string]string{"slowlog-log-slower-than": "100", "slowlog-max-len": "10000"} {
		if err := b.store.ConfigSet(ctx, name, value).Err(); err != nil {
			return err
		}
	}
	requests := b.messages(sender, b.org.huge)
	longest := map[string]time.Duration{} // by function
	calls := row{Goal: "G9", What: fmt.Sprintf("longest call of Redis in a message to %d queues", live), Unit: "ms", Reach: reach{Most: 3}}
	for i := range messages {
		say("G9, message %d", i+1)
		if err := b.store.SlowLogReset(ctx).Err(); err != nil {
			return err
		}
		if _, err := c.send(ctx, conn, requests[i]); err != nil {
			return err
		}
		if err := errors.Join(b.drained(ctx), settle(ctx, b.servers())); err != nil {
			return err
		}
		entries, err := b.store.SlowLogGet(ctx, -1).Result()
		if err != nil {
			return err
		}
		top := time.Duration(0)
		for _, entry := range entries {
			if command := entry.Args[0]; strings.EqualFold(command, "config") || strings.EqualFold(command, "slowlog") {
				continue
			}
			name := strings.Join(entry.Args[:min(2, len(entry.Args))], " ")
			longest[name] = max(longest[name], entry.Duration)
			top = max(top, entry.Duration)
		}
		calls.Ours = append(calls.Ours, milliseconds(top))
	}
	// The goal is about the longest of all; the median tells what the operating system added to it.
	calls.Note = fmt.Sprintf("median of the messages' longest %s ms; by call: %s", number(median(calls.Ours)), listed(longest))
	calls.Ours = []float64{slices.Max(calls.Ours)}
	b.table.add(calls)
	return nil
}

// listed writes the longest time of each call.
func listed(longest map[string]time.Duration) string {
	var parts []string
	for name, d := range longest {
		parts = append(parts, name+" "+strconv.FormatFloat(milliseconds(d), 'f', 2, 64))
	}
	slices.Sort(parts)
	return strings.Join(parts, ", ")
}
