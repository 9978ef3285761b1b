//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

const (
	parked = 9_500  // as many as 20,000 file descriptors allow for
	live   = 10_000 // queues of one stream
	quiet  = 5 * time.Second
)

// measureParked measures G7, the memory of event streams and of polls that wait, and G9, the longest call of Redis when
// all of their queues receive a message. A poll on a new connection takes less memory than one on a connection that was
// used before, so both are measured.
func (b *bench) measureParked(ctx context.Context) (err error) {
	subscribers := make([]int, live)
	for i := range subscribers {
		subscribers[i] = sender - 9_999 + i
	}
	say("G7 and G9: registering %d queues", len(subscribers))
	if err := b.register(ctx, subscribers...); err != nil {
		return err
	}
	waiting, requests := b.queuesOf(subscribers[:parked]), b.messages(sender, b.org.huge)
	if b.wants("G7") {
		if err := b.measureMemory(ctx, "stream", newAudience, waiting, requests[0], 6); err != nil {
			return err
		}
		if err := b.measureMemory(ctx, "parked poll", newCrowd, waiting, requests[0], 8); err != nil {
			return err
		}
	}
	if !b.wants("G9") {
		return nil
	}
	calls := b.row("G9", fmt.Sprintf("longest call of Redis in a message to %d queues", live), "ms", reach{Max: 3})
	tops, note, err := b.longestCalls(ctx, waiting, requests)
	if err != nil {
		return err
	}
	// The goal is for the longest call of all; the median shows how much of it comes from the operating system.
	calls.Ours = []float64{slices.Max(tops)}
	calls.Note = fmt.Sprintf("median of the messages' longest %s ms; %s", number(median(tops)), note)
	return nil
}

// measureMemory adds a row for the kilobytes that each client of a crowd takes in events after a message to all.
func (b *bench) measureMemory(ctx context.Context, what string, gather gather, waiting []*eventQueue, request []byte, limit float64) error {
	// The heap of a new process has no garbage of earlier work.
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
	say("G7: %d times a %s", len(waiting), what)
	c, err := gather(ctx, b.events.addr, waiting)
	if err != nil {
		return err
	}
	used, err := takeMemory(ctx, b.servers(), b.events.pid(), before, c, b.api.addr, request)
	if err = errors.Join(err, c.close()); err != nil {
		return err
	}
	row := b.row("G7", fmt.Sprintf("memory of events per %s after an event, %d of them", what, len(waiting)), "KB", reach{Max: limit})
	row.Ours = append(row.Ours, used.used)
	row.Note = fmt.Sprintf("%s KB before the event; %v", number(used.fresh), used)
	return nil
}

// memory is the memory that parked polls take in a process.
type memory struct {
	before, parked, answered int64   // bytes of the process
	fresh, used              float64 // KB of a poll on a new connection, and on one that was answered
}

func (m memory) String() string {
	return fmt.Sprintf("%d MB before, %d MB with all parked, %d MB after an event", m.before>>20, m.parked>>20, m.answered>>20)
}

// takeMemory measures a process with a crowd parked, before and after a message to it.
func takeMemory(ctx context.Context, servers []int, pid int, before int64, c *crowd, addr string, request []byte) (m memory, err error) {
	m.before = before
	if m.parked, err = afterQuiet(ctx, servers, pid); err != nil {
		return m, err
	}
	if _, err := c.send(ctx, addr, request); err != nil {
		return m, err
	}
	if m.answered, err = afterQuiet(ctx, servers, pid); err != nil {
		return m, err
	}
	polls := float64(len(c.receivers)) * 1024
	m.fresh, m.used = float64(m.parked-before)/polls, float64(m.answered-before)/polls
	return m, c.failure()
}

// afterQuiet returns a process's memory after all servers have been idle for a while.
func afterQuiet(ctx context.Context, servers []int, pid int) (int64, error) {
	if err := settle(ctx, servers); err != nil {
		return 0, err
	}
	if err := pause(ctx, quiet); err != nil {
		return 0, err
	}
	return resident(pid)
}

// longestCalls sends messages to all queues. It returns how long Redis's longest call took for each message, in milliseconds, and
// a note on which calls those were.
func (b *bench) longestCalls(ctx context.Context, waiting []*eventQueue, requests [][]byte) (tops []float64, note string, err error) {
	const messages = 10
	c, err := newCrowd(ctx, b.events.addr, waiting)
	if err != nil {
		return nil, "", err
	}
	defer func() { err = errors.Join(err, c.close()) }()
	// Redis measures elapsed time, which includes the time of other processes on its processor. Real-time priority
	// prevents this, if it is allowed.
	priority := unix.SchedSetAttr(b.redis.PID(), &unix.SchedAttr{Size: unix.SizeofSchedAttr, Policy: unix.SCHED_FIFO, Priority: 1}, 0)
	for name, value := range map[string]string{"slowlog-log-slower-than": "100", "slowlog-max-len": "10000"} {
		if err := b.store.ConfigSet(ctx, name, value).Err(); err != nil {
			return nil, "", err
		}
	}
	longest := map[string]time.Duration{} // by function
	for i := range messages {
		say("G9, message %d", i+1)
		if err := b.store.SlowLogReset(ctx).Err(); err != nil {
			return nil, "", err
		}
		if _, err := c.send(ctx, b.api.addr, requests[i]); err != nil {
			return nil, "", err
		}
		if err := errors.Join(b.drained(ctx), settle(ctx, b.servers())); err != nil {
			return nil, "", err
		}
		entries, err := b.store.SlowLogGet(ctx, -1).Result()
		if err != nil {
			return nil, "", err
		}
		top := time.Duration(0)
		for _, entry := range entries {
			name := entry.Args[0]
			switch strings.ToLower(name) {
			case "config", "slowlog":
				continue // our own
			case "fcall":
				name = entry.Args[1]
			}
			longest[name] = max(longest[name], entry.Duration)
			top = max(top, entry.Duration)
		}
		tops = append(tops, milliseconds(top))
	}
	note = "by call: " + listed(longest)
	if priority != nil {
		note += "; others' work is in these times, as Redis can't have priority: " + priority.Error()
	}
	return tops, note, nil
}

// listed returns the longest times of functions as text.
func listed(longest map[string]time.Duration) string {
	var parts []string
	for name, d := range longest {
		parts = append(parts, fmt.Sprintf("%s %.2f", name, milliseconds(d)))
	}
	slices.Sort(parts)
	return strings.Join(parts, ", ")
}
