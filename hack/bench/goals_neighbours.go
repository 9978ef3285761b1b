//go:build linux

package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"time"
)

const (
	// followers is how many clients in the large organization follow all events, and listeners how many follow
	// messages.
	followers = 50
	listeners = 1_000
	// calm is how long the small organizations are measured alone before each kind of calls, and loud how long at least
	// during the calls: 300 messages, so that p99 isn't the slowest one.
	calm = 700 * time.Millisecond
	loud = 6 * time.Second
	// warmUp is how long messages are sent before the first measurement: services that have just started are slower.
	warmUp = 4 * time.Second
	// rest is the pause after a kind of calls, which isn't measured.
	rest = 300 * time.Millisecond
)

// measureNeighbours measures G11: the effect of the largest calls of a large organization on small ones. The latency of
// their messages is the time from when they are due until a poll is answered with them. It is measured alternately
// alone and during each kind of calls. All measurements alone are combined; of the kinds, the one with the greatest
// ratio counts. All organizations share the services' processes, PostgreSQL and Redis; one of the small ones shares the
// large one's shard of the event log, too. A call of the large one begins when the previous one has been dispatched:
// more frequent calls are prevented by rate limits. For comparison, the effect of a process that keeps one processor
// busy without calling the server is also reported.
func (b *bench) measureNeighbours(ctx context.Context) error {
	places := []place{{what: "in another shard", further: 1}, {what: "in the same shard", further: b.org.shards}}
	for i := range places {
		var err error
		if places[i].neighbour, err = b.populateNeighbour(ctx, i, places[i].further); err != nil {
			return err
		}
	}
	for pair := range b.turns("G11") {
		s, err := b.setStage(ctx, pair)
		if err == nil {
			err = b.restartServices(ctx)
		}
		if err == nil {
			err = b.settle(ctx)
		}
		if err == nil {
			err = b.besideAll(ctx, places, s)
		}
		if err != nil {
			return err
		}
	}
	for _, at := range places {
		b.table = append(b.table, at.rows()...)
	}
	return nil
}

// place is a small organization with its place in the event log, and its measurements.
type place struct {
	what    string
	further int // shards from the large organization's
	neighbour
	probe   *probe
	alone   []time.Duration // of this turn
	kinds   []row           // p99 beside each kind of calls, and alone
	compute row             // the same beside a process that only computes
}

// rows returns the rows of the kind with the greatest ratio, with a note about all kinds.
func (p place) rows() []*row {
	if len(p.kinds) == 0 {
		return nil
	}
	var notes []string
	for _, kind := range p.kinds {
		notes = append(notes, fmt.Sprintf("%s %s ms (%s ×)", kind.What, number(median(kind.Ours)), number(kind.ratio())))
	}
	ratio := slices.MaxFunc(p.kinds, func(a, b row) int { return cmp.Compare(a.ratio(), b.ratio()) })
	longest := slices.MaxFunc(p.kinds, func(a, b row) int { return cmp.Compare(median(a.Ours), median(b.Ours)) })
	ratio.Reach, ratio.Note = reach{Max: 3}, strings.Join(notes, "; ")
	longest.Reach, longest.Floor = reach{Max: 100}, nil
	ratio.What = fmt.Sprintf("p99 of delivery %s, beside (%s) against alone", p.what, ratio.What)
	longest.What = fmt.Sprintf("p99 of delivery %s, beside (%s)", p.what, longest.What)
	p.compute.What = fmt.Sprintf("p99 of delivery %s, beside (%s) against alone", p.what, p.compute.What)
	return []*row{&ratio, &longest, &p.compute}
}

// settle syncs data that were written without the interface to the disk, so that measurements don't wait for it.
func (b *bench) settle(ctx context.Context) error {
	_, err := b.db.Exec(ctx, "checkpoint")
	syscall.Sync()
	return err
}

// restartServices restarts both services, so that they read data that were written without the interface.
func (b *bench) restartServices(ctx context.Context) error {
	if err := errors.Join(b.api.restart(ctx), b.events.restart(ctx)); err != nil {
		return err
	}
	return b.warmUp(ctx)
}

// besideAll measures one turn: the small organizations beside each kind of calls, and alone.
func (b *bench) besideAll(ctx context.Context, places []place, s stage) (err error) {
	accounts := make([]int, followers+listeners)
	for i := range accounts {
		accounts[i] = sender - 9_999 + i
	}
	if err := b.registerFor(ctx, url.Values{"fetch_event_types": {"[]"}, "queue_lifespan_secs": {"3600"}}, accounts[:followers]...); err != nil {
		return err
	}
	if err := b.register(ctx, accounts...); err != nil {
		return err
	}
	clients, err := newCrowd(ctx, b.events.addr, b.queuesOf(accounts))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, clients.close()) }()
	adopt := b.administer("PUT", "/organizations/bench", asJSON(map[string]any{"subdomain": "", "name": "Bench", "adopt": true}))
	if err := ask(ctx, adopt.addr, adopt.request, nil); err != nil {
		return err
	}
	for i := range places {
		at := &places[i]
		if at.probe, err = b.newProbe(ctx, at.neighbour, between*time.Duration(i)/time.Duration(len(places))); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, at.probe.close()) }()
		at.alone = nil
	}
	if err := pause(ctx, warmUp); err != nil {
		return err
	}
	measured := 0
	for _, kind := range b.kinds(s) {
		if !strings.Contains(kind.name, b.kind) {
			continue
		}
		k := measured
		measured++
		err := besideOne(ctx, places, kind.name, func() (int, error) { return b.callLarge(ctx, kind, loud) }, func(at *place) *row {
			if k == len(at.kinds) {
				at.kinds = append(at.kinds, row{})
			}
			return &at.kinds[k]
		})
		if err != nil {
			return fmt.Errorf("%s: %w", kind.name, err)
		}
	}
	if err := besideOne(ctx, places, "a process that only computes", func() (int, error) { return 1, compute(ctx, loud) },
		func(at *place) *row { return &at.compute }); err != nil {
		return err
	}
	for i := range places {
		at := &places[i]
		quiet := percentile(at.alone, 99)
		for k := range at.kinds {
			at.kinds[k].Floor = append(at.kinds[k].Floor, quiet)
		}
		at.compute.Floor = append(at.compute.Floor, quiet)
	}
	return clients.failure()
}

// besideOne measures the small organizations alone and during work, and adds the results of the latter to the row that
// of returns.
func besideOne(ctx context.Context, places []place, name string, work func() (calls int, err error), of func(at *place) *row) error {
	quiet, err := during(ctx, places, func() error { return pause(ctx, calm) })
	if err != nil {
		return err
	}
	calls, start, took := 0, time.Now(), time.Duration(0)
	busy, err := during(ctx, places, func() (err error) {
		calls, err = work()
		took = time.Since(start)
		return err
	})
	if err != nil {
		return err
	}
	for i := range places {
		at := &places[i]
		at.alone = append(at.alone, quiet[i].deliveries...)
		p99, r := percentile(busy[i].deliveries, 99), of(at)
		r.Goal, r.What, r.Unit = "G11", name, "ms"
		r.Ours = append(r.Ours, p99)
		say("G11, %s, %s: %d calls of %d ms; sends p99 %s ms, deliveries p50 %s ms, p99 %s ms; alone p99 %s ms", name, at.what,
			calls, took.Milliseconds()/int64(max(calls, 1)), number(percentile(busy[i].sends, 99)),
			number(percentile(busy[i].deliveries, 50)), number(p99), number(percentile(quiet[i].deliveries, 99)))
	}
	return pause(ctx, rest)
}

// compute runs a process that uses one processor for some time.
func compute(ctx context.Context, d time.Duration) error {
	ctx, stop := context.WithTimeout(ctx, d)
	defer stop()
	if err := exec.CommandContext(ctx, "sh", "-c", "while :; do :; done").Run(); ctx.Err() == nil {
		return fmt.Errorf("the process that only computes ended: %w", err)
	}
	return nil
}

// during measures all small organizations during work.
func during(ctx context.Context, places []place, work func() error) ([]*phase, error) {
	phases := make([]*phase, len(places))
	for i, at := range places {
		phases[i] = at.probe.enter()
	}
	errs := []error{work()}
	for i, at := range places {
		at.probe.enter() // messages from now on don't count
		if errs[0] == nil {
			errs = append(errs, at.probe.await(ctx, phases[i]))
		}
		errs = append(errs, at.probe.failure())
	}
	return phases, errors.Join(errs...)
}

// callLarge makes calls of a kind, one at a time, until the time is over; at least one.
func (b *bench) callLarge(ctx context.Context, kind large, d time.Duration) (calls int, err error) {
	for start := time.Now(); calls == 0 || time.Since(start) < d; calls++ {
		call, more := kind.next(calls)
		if !more {
			break
		}
		if err := ask(ctx, call.addr, call.request, nil); err != nil {
			return calls, fmt.Errorf("%w%s", err, b.api.tail())
		}
		if err := b.drained(ctx); err != nil {
			return calls, err
		}
	}
	return calls, nil
}
