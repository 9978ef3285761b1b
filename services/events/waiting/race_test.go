package waiting_test

import (
	"context"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"chatserver.dev/pkg/queue"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/testbed"
	"chatserver.dev/services/events/waiting"
)

// client polls its queue at random replicas, sometimes cancels a poll, and records the events that it gets.
type client struct {
	name string
	last atomic.Int64
	got  []store.Position
	want []store.Position
}

func (c *client) follow(t *testing.T, rooms []room) {
	t.Helper()
	queues := make([]*waiting.Queue, len(rooms))
	for i, r := range rooms {
		queues[i] = r.find(c.name)
	}
	for len(c.got) < len(c.want) {
		timeout, givesUp := 10*time.Second, rand.IntN(4) == 0
		if givesUp {
			timeout = time.Duration(rand.IntN(20_000)) * time.Microsecond
		}
		ctx, cancel := context.WithTimeout(t.Context(), timeout)
		i := rand.IntN(len(rooms))
		answer := rooms[i].Wait(ctx, queues[i], c.last.Load(), false)
		ended := ctx.Err() != nil
		cancel()
		if answer.Err != nil && givesUp && ended {
			continue
		}
		if answer.Status != queue.Current || answer.Lost || answer.Err != nil {
			t.Errorf("after %d of %d: %+v", len(c.got), len(c.want), answer)
			return
		}
		for _, d := range answer.Events {
			if last := c.last.Add(1); d.Number != last {
				t.Errorf("number %d after %d", d.Number, last-1)
			}
			c.got = append(c.got, d.Pointer.Event)
		}
	}
}

// Every client gets every event once, in order and soon, while polls start, displace each other and are canceled,
// heartbeats are sent, and connections for wake-ups are cut.
func TestNothingIsLost(t *testing.T) {
	testbed.Slow(t)
	t.Parallel()
	w := open(t)
	rooms := []room{w.replica("one"), w.replica("two")}
	clients := make([]*client, 30)
	for i := range clients {
		clients[i] = &client{name: w.register("")}
		clients[i].last.Store(queue.First)
	}
	finished, disturbed := atomic.Bool{}, sync.WaitGroup{}
	disturb := func(pause time.Duration, work func()) {
		disturbed.Go(func() {
			for !finished.Load() {
				work()
				time.Sleep(pause)
			}
		})
	}
	disturb(120*time.Millisecond, func() { _ = w.client.ClientKillByFilter(t.Context(), "TYPE", "pubsub").Err() })
	disturb(15*time.Millisecond, func() { rooms[rand.IntN(2)].Beat(t.Context(), 0) })
	disturb(time.Millisecond, func() { rooms[rand.IntN(2)].Look(t.Context()) })
	disturb(time.Millisecond, func() {
		for i, r := range rooms {
			if wrong := r.Check(); wrong != "" {
				t.Errorf("replica %d: %s", i, wrong)
			}
		}
	})
	disturb(time.Millisecond, func() { // an older connection of the same client
		c := clients[rand.IntN(len(clients))]
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		r := rooms[rand.IntN(2)]
		r.Wait(ctx, r.find(c.name), max(queue.First, c.last.Load()-1), rand.IntN(2) == 0)
	})
	plan := make([][]*client, 800)
	for i := range plan {
		for _, c := range clients {
			if i == len(plan)-1 || rand.IntN(3) == 0 {
				plan[i] = append(plan[i], c)
				c.want = append(c.want, store.Position{Xid: farAway, ID: int64(i) + 1})
			}
		}
	}
	following := sync.WaitGroup{}
	for _, c := range clients {
		following.Go(func() { c.follow(t, rooms) })
	}
	for i, to := range plan {
		if i == len(plan)-1 {
			finished.Store(true) // the last one finds everybody waiting, with nothing to help it
			disturbed.Wait()
		}
		names := make([]string, 0, len(to))
		for _, c := range to {
			names = append(names, c.name)
		}
		w.dispatch(farAway, names...)
		time.Sleep(time.Duration(rand.IntN(2000)) * time.Microsecond)
	}
	start := time.Now()
	following.Wait()
	t.Logf("the rest took %v", time.Since(start))
	for i, c := range clients {
		if diff := cmp.Diff(c.want, c.got); diff != "" {
			t.Errorf("client %d (-want +got):\n%s", i, diff)
		}
	}
}
