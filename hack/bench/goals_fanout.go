//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// gather connects a crowd to an address, a client for each queue.
type gather func(ctx context.Context, addr string, queues []*eventQueue) (*crowd, error)

// fanout is the result of a run of waves.
type fanout struct {
	cpu  time.Duration   // of all servers, per delivery
	busy times           // of each server
	last []time.Duration // from the send's answer until the last client had the message
}

// measureFanout measures G4 and G5, a message to a crowd of waiting polls, and G4s and G5s, a message to the same
// number of event streams.
func (b *bench) measureFanout(ctx context.Context) error {
	crowd := make([]int, crowdSize)
	for i := range crowd {
		crowd[i] = i + 1
	}
	answer, err := b.sample(ctx, newCrowd)
	if err != nil {
		return err
	}
	say("G4 and G5: registering %d queues", len(crowd))
	if err := b.register(ctx, crowd...); err != nil {
		return err
	}
	cpu := b.row("G4", fmt.Sprintf("processor time per delivery, %d parked", crowdSize), "µs", reach{Max: 0.75})
	p50 := b.row("G5", "from the answer to the last of them, p50", "ms", reach{Max: 1})
	p99 := b.row("G5", "from the answer to the last of them, p99", "ms", reach{Max: 1})
	for range b.turns("G4 and G5") {
		limit, err := b.floorFanout(ctx, crowd, answer)
		if err != nil {
			return fmt.Errorf("floor: %w", err)
		}
		ours, err := b.fanout(ctx, newCrowd, b.events.addr, b.api.addr, b.queuesOf(crowd), b.servers())
		if err != nil {
			return err
		}
		cpu.addPair(microseconds(ours.cpu), microseconds(limit.cpu))
		cpu.Note = fmt.Sprintf("answers of %d bytes; %s", len(answer), shares(ours.busy))
		p50.addPair(percentile(ours.last, 50), percentile(limit.last, 50))
		p99.addPair(percentile(ours.last, 99), percentile(limit.last, 99))
		if b.wants("G4s") || b.wants("G5s") {
			if err := b.measureStreams(ctx, crowd, limit); err != nil {
				return fmt.Errorf("streams: %w", err)
			}
		}
	}
	return nil
}

func (b *bench) queuesOf(accounts []int) []*eventQueue {
	queues := make([]*eventQueue, len(accounts))
	for i, account := range accounts {
		queues[i] = b.queues[account]
	}
	return queues
}

// freshQueues returns queues for the floor, which has no queues. They have the name of an example, so that requests
// have the same length.
func freshQueues(count int, like string) []*eventQueue {
	queues := make([]*eventQueue, count)
	for i := range queues {
		queues[i] = &eventQueue{ID: like, Last: -1}
	}
	return queues
}

// sample delivers a message to one client, and returns the bytes of the answer, or of the event for a stream.
func (b *bench) sample(ctx context.Context, gather gather) ([]byte, error) {
	account := []int{1}
	if err := b.register(ctx, account...); err != nil {
		return nil, err
	}
	c, err := gather(ctx, b.events.addr, b.queuesOf(account))
	if err != nil {
		return nil, err
	}
	_, err = c.send(ctx, b.api.addr, b.messages(sender, b.org.crowd)[0])
	err = errors.Join(err, c.close())
	return c.answer, err
}

func (b *bench) floorFanout(ctx context.Context, crowd []int, answer []byte) (result fanout, err error) {
	floor, err := b.startFloor(ctx, answer)
	defer func() { err = errors.Join(err, floor.stop()) }()
	if err != nil {
		return fanout{}, err
	}
	return b.fanout(ctx, newCrowd, floor.addr, floor.addr, freshQueues(len(crowd), b.queues[crowd[0]].ID), []int{floor.pid()})
}

// fanout parks a crowd and sends it messages, one at a time.
func (b *bench) fanout(ctx context.Context, gather gather, pollAddr, sendAddr string, queues []*eventQueue, servers []int) (result fanout, err error) {
	c, err := gather(ctx, pollAddr, queues)
	if err != nil {
		return fanout{}, err
	}
	defer func() { err = errors.Join(err, c.close()) }()
	requests := b.messages(sender, b.org.crowd)
	if err := settle(ctx, servers); err != nil {
		return fanout{}, err
	}
	if _, err := c.send(ctx, sendAddr, requests[0]); err != nil { // so that initialization at the first use isn't measured
		return fanout{}, err
	}
	if err := settle(ctx, servers); err != nil {
		return fanout{}, err
	}
	before := c.messages.Load() + c.heartbeats.Load()
	busy, err := spend(ctx, servers, func() error {
		// A wave that coincided with heartbeats is repeated: its time includes theirs.
		for i := 0; len(result.last) < b.waves && i < 2*b.waves; i++ {
			wave, err := c.send(ctx, sendAddr, requests[i%len(requests)])
			if err != nil {
				return err
			}
			if wave.beats == 0 {
				result.last = append(result.last, wave.last)
			}
			if err := pause(ctx, 150*time.Millisecond); err != nil {
				return err
			}
		}
		return settle(ctx, servers)
	})
	// Heartbeats are deliveries, too: an answer and the next poll.
	result.busy = busy
	result.cpu = busy.total() / time.Duration(max(c.messages.Load()+c.heartbeats.Load()-before, 1))
	return result, errors.Join(err, c.failure())
}
