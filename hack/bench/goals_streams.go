//go:build linux

package main

import (
	"context"
	"fmt"
)

// measureStreams measures a pair of G4s and G5s: a message to a crowd of event streams, compared with long polls of the
// same crowd at the bare server, and with the floors for streams. It adds to the rows of earlier pairs.
func (b *bench) measureStreams(ctx context.Context, crowd []int, polls fanout) error {
	event, err := b.sample(ctx, newAudience)
	if err != nil {
		return err
	}
	ours, err := b.fanout(ctx, newAudience, b.events.addr, b.api.addr, b.queuesOf(crowd), b.servers())
	if err != nil {
		return err
	}
	loop, err := b.floorPush(ctx, loopCommand, newAudience, crowd, event)
	if err != nil {
		return fmt.Errorf("loop: %w", err)
	}
	sockets, err := b.floorPush(ctx, socketsCommand, newSockets, crowd, event)
	if err != nil {
		return fmt.Errorf("sockets: %w", err)
	}
	what := fmt.Sprintf("processor time per delivery, %d streams, against ", len(crowd))
	cpu := b.again("G4s", what+"polls of the floor", "µs", reach{Max: 0.35})
	cpu.addPair(microseconds(ours.cpu), microseconds(polls.cpu))
	cpu.Note = shares(ours.busy)
	b.again("G4s", what+"epoll and write", "µs", reach{Max: 1.6}).addPair(microseconds(ours.cpu), microseconds(loop.cpu))
	b.again("G4s", what+"WebSockets", "µs", reach{Max: 1.3}).addPair(microseconds(ours.cpu), microseconds(sockets.cpu))
	for _, p := range []struct {
		percent float64
		limit   float64
	}{{50, 0.5}, {99, 0.6}} {
		what := fmt.Sprintf("from the answer to the last stream, p%.0f, against ", p.percent)
		last := percentile(ours.last, p.percent)
		b.again("G5s", what+"polls of the floor", "ms", reach{Max: p.limit}).addPair(last, percentile(polls.last, p.percent))
		b.again("G5s", what+"epoll and write", "ms", reach{}).addPair(last, percentile(loop.last, p.percent))
		b.again("G5s", what+"WebSockets", "ms", reach{}).addPair(last, percentile(sockets.last, p.percent))
	}
	return nil
}
