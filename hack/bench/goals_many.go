//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"golang.org/x/sys/unix"
)

const (
	// maxStreams is the number of event streams of G12, if a process may have that many connections.
	maxStreams = 50_000
	// spare is the number of file descriptors for other purposes.
	spare = 1_000
	// few is the number of streams that receive the messages.
	few = 1_000
)

// measureMany measures G12: the memory of as many event streams as a process may have connections, and the time until a
// message has reached a thousand of them.
func (b *bench) measureMany(ctx context.Context) (err error) {
	count, err := clients(maxStreams)
	if err != nil {
		return err
	}
	members := few / roundsOf(count)
	stream, err := b.makeStream(ctx, b.org.id, "few", 1, members, sender)
	if err != nil {
		return err
	}
	if err := b.events.restart(ctx); err != nil {
		return err
	}
	rounds, err := b.registerRounds(ctx, count)
	if err != nil {
		return err
	}
	receivers, others := []*eventQueue(nil), []*eventQueue(nil)
	for _, queues := range rounds {
		receivers, others = append(receivers, queues[:members]...), append(others, queues[members:]...)
	}
	if err := settle(ctx, b.servers()); err != nil {
		return err
	}
	before, err := resident(b.events.pid())
	if err != nil {
		return err
	}
	say("G12: connecting %d streams", count)
	rest, err := newAudience(ctx, b.events.addr, others)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rest.failure(), rest.close()) }()
	c, err := newAudience(ctx, b.events.addr, receivers)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.close()) }()
	after, err := afterQuiet(ctx, b.servers(), b.events.pid())
	if err != nil {
		return err
	}
	last := []time.Duration(nil)
	for i := range 5 * b.waves {
		wave, err := c.send(ctx, b.api.addr, b.messages(sender, stream)[i%texts])
		if err != nil {
			return err
		}
		last = append(last, wave.last)
		if err := pause(ctx, 50*time.Millisecond); err != nil {
			return err
		}
	}
	memory := b.row("G12", fmt.Sprintf("memory of events with %d streams, whose queues it knows", count), "MB", reach{Max: 600})
	memory.Ours = append(memory.Ours, float64(after>>20))
	memory.Note = fmt.Sprintf("%d MB before they came", before>>20)
	p99 := b.row("G12", fmt.Sprintf("from the answer to the last of %d of them, p99", len(receivers)), "ms", reach{Max: 50})
	p99.Ours = append(p99.Ours, percentile(last, 99))
	return nil
}

// clients returns the number of clients that a process may have connections to, at most wanted.
func clients(wanted int) (int, error) {
	limit := unix.Rlimit{}
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		return 0, err
	}
	if limit.Cur < uint64(wanted+spare) {
		return int(limit.Cur) - spare, nil
	}
	return wanted, nil
}

// roundsOf returns the number of queues that each account except the sender needs, for count queues in total.
func roundsOf(count int) int { return (count + accounts - 2) / (accounts - 1) }

// registerRounds registers new queues, and returns them in rounds: each round has one queue of each account except the
// sender; the last one may have fewer.
func (b *bench) registerRounds(ctx context.Context, count int) (rounds [][]*eventQueue, err error) {
	say("registering %d queues", count)
	for left := count; left > 0; left -= accounts - 1 {
		round := make([]int, min(left, accounts-1))
		for i := range round {
			round[i] = i + 1
		}
		clear(b.queues)
		if err := b.register(ctx, round...); err != nil {
			return nil, err
		}
		rounds = append(rounds, b.queuesOf(round))
	}
	return rounds, nil
}
