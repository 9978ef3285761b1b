//go:build linux

package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	// stormers is the number of clients that reconnect, if a process may have that many connections, and stormTime is
	// the time in which they do.
	stormers  = 20_000
	stormTime = 5 * time.Second
	// stragglers is the number of clients that connect at the same rate for comparison, and straggles the number of
	// repetitions.
	stragglers, straggles = 1_000, 5
	// calmTime is how long sends are measured before the storm.
	calmTime = 10 * time.Second
	// sendEvery is the interval between sends.
	sendEvery = 20 * time.Millisecond
)

// storming returns a gather that connects clients at the rate of a storm.
func storming(fields string) gather {
	return func(ctx context.Context, addr string, queues []*eventQueue) (*crowd, error) {
		return connectCrowd(ctx, []string{addr}, queues, fields, stormTime*time.Duration(len(queues))/stormers)
	}
}

// measureStorm measures R7, clients that all reconnect after a restart of events, and G10, the cost of each of many
// connecting clients compared with each of a few.
func (b *bench) measureStorm(ctx context.Context) error {
	count, err := clients(stormers)
	if err != nil {
		return err
	}
	everybody, err := b.makeStream(ctx, b.org.id, "everybody", 1, accounts)
	if err != nil {
		return err
	}
	nobody, err := b.makeStream(ctx, b.org.id, "nobody else", sender, sender)
	if err != nil {
		return err
	}
	s := storm{b, b.messages(sender, nobody), b.messages(sender, everybody)[0]}
	rounds, err := b.registerRounds(ctx, count)
	if err != nil {
		return err
	}
	all, some := slices.Concat(rounds...), []*eventQueue(nil)
	for _, queues := range rounds { // each account has as many queues in some as in all
		some = append(some, queues[:stragglers/len(rounds)]...)
	}
	for _, kind := range []struct{ name, fields string }{{"streams", wantsStream}, {"polls", ""}} {
		if b.wants("R7") {
			if err := s.measure(ctx, kind.name, storming(kind.fields), all); err != nil {
				return err
			}
		}
		if b.wants("G10") {
			if err := b.measureArrivals(ctx, kind.name, storming(kind.fields), all, some); err != nil {
				return err
			}
		}
	}
	return nil
}

// storm is the measurement of R7, with its messages.
type storm struct {
	*bench

	others [][]byte // messages that none of the clients receives
	all    []byte   // a message that all of them receive
}

// measure adds rows for the time until all clients wait at the new process, and for the latencies of other sends
// meanwhile. Then it checks that all clients receive a message.
func (b storm) measure(ctx context.Context, kind string, gather gather, queues []*eventQueue) (err error) {
	if err := settle(ctx, b.servers()); err != nil {
		return err
	}
	say("R7: sends without %s", kind)
	quiet, err := b.sendWhile(ctx, func() error { return pause(ctx, calmTime) })
	if err != nil {
		return err
	}
	say("R7: %d %s", len(queues), kind)
	c, took := (*crowd)(nil), time.Duration(0)
	during, err := b.sendWhile(ctx, func() (err error) {
		if err := b.events.restart(ctx); err != nil {
			return err
		}
		start := time.Now()
		if c, err = gather(ctx, b.events.addr, queues); err != nil {
			return err
		}
		err = b.back(ctx, len(queues))
		took = time.Since(start)
		return err
	})
	if err == nil {
		_, err = c.send(ctx, b.api.addr, b.all)
	}
	if c != nil {
		err = errors.Join(err, c.close())
	}
	if err != nil {
		return err
	}
	what := fmt.Sprintf("%d %s after a restart, in %v", len(queues), kind, stormTime)
	back := b.row("R7", what+": until the last is back", "s", reach{Max: 30})
	back.Ours = append(back.Ours, took.Seconds())
	b.row("R7", what+": others' sends, p99, against before", "ms", reach{Max: 5}).addPair(percentile(during, 99), percentile(quiet, 99))
	return nil
}

// back waits until count clients wait at events, according to its metrics.
func (b storm) back(ctx context.Context, count int) error {
	ctx, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	for {
		waiting, err := b.waiting(ctx)
		if err != nil || waiting >= count {
			return err
		}
		if err := pause(ctx, 50*time.Millisecond); err != nil {
			return fmt.Errorf("%d of %d clients are back: %w", waiting, count, err)
		}
	}
}

// waiting returns the number of clients that wait at events.
func (b storm) waiting(ctx context.Context) (int, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+b.events.meter+"/metrics", http.NoBody)
	if err != nil {
		return 0, err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, fmt.Errorf("read metrics: %w", err)
	}
	defer response.Body.Close() //nolint:errcheck // it is read
	for lines := bufio.NewScanner(response.Body); lines.Scan(); {
		if line := lines.Text(); strings.HasPrefix(line, "chatserver_polls_waiting") {
			count, err := strconv.ParseFloat(line[strings.LastIndexByte(line, ' ')+1:], 64)
			return int(count), err
		}
	}
	return 0, errors.New("the metrics don't have the number of waiting polls")
}

// sendWhile sends a message every 20 ms until happens returns, and returns the time that each took from when it was
// due.
func (b storm) sendWhile(ctx context.Context, happens func() error) (latencies []time.Duration, err error) {
	c, err := dial(ctx, b.api.addr)
	if err != nil {
		return nil, err
	}
	defer c.Close() //nolint:errcheck // everything is answered
	over := make(chan error, 1)
	go func() { over <- happens() }()
	for i, due := 0, time.Now(); ; i, due = i+1, due.Add(sendEvery) {
		select {
		case failed := <-over:
			return latencies, failed
		case <-time.After(time.Until(due)):
		}
		if _, err := c.do(b.others[i%len(b.others)]); err != nil {
			return nil, errors.Join(err, <-over)
		}
		latencies = append(latencies, time.Since(due))
	}
}

// measureArrivals adds a row for the processor time of a client that connects with many others, compared with one of a
// few.
func (b *bench) measureArrivals(ctx context.Context, kind string, gather gather, all, some []*eventQueue) error {
	few := time.Duration(0)
	for range straggles {
		cost, err := b.arrive(ctx, gather, some)
		if err != nil {
			return err
		}
		few += cost.total()
	}
	many, err := b.arrive(ctx, gather, all)
	if err != nil {
		return err
	}
	row := b.row("G10", fmt.Sprintf("processor time per arriving client, %d %s against %d", len(all), kind, len(some)), "µs", reach{Max: 1.1})
	row.addPair(microseconds(many.total())/float64(len(all)), microseconds(few)/float64(len(some)*straggles))
	row.Note = shares(many)
	return nil
}

// arrive returns the processor time of clients that connect to a new process.
func (b *bench) arrive(ctx context.Context, gather gather, queues []*eventQueue) (_ times, err error) {
	say("G10: %d clients", len(queues))
	if err := b.events.restart(ctx); err != nil {
		return nil, err
	}
	if err := b.probe(ctx); err != nil { // reading all queues at the start doesn't count
		return nil, err
	}
	if err := settle(ctx, b.servers()); err != nil {
		return nil, err
	}
	c := (*crowd)(nil)
	spent, err := spend(ctx, b.servers(), func() (err error) {
		if c, err = gather(ctx, b.events.addr, queues); err != nil {
			return err
		}
		return settle(ctx, b.servers())
	})
	if c != nil {
		err = errors.Join(err, c.failure(), c.close())
	}
	return spent, err
}
