package systemtest_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"chatserver.dev/pkg/queue"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/testbed"
)

// send sends messages of a person to random streams, and sometimes to another person.
func (w *crashWorld) send(ctx context.Context, person int) {
	for n := 0; ctx.Err() == nil; n++ {
		params := url.Values{
			"type": {"stream"}, "to": {asJSON(w.streams[rand.IntN(len(w.streams))])}, "topic": {"crash"},
			"content": {fmt.Sprintf("%d:%d", person, n)},
		}
		if rand.IntN(10) == 0 {
			params = url.Values{
				"type": {"private"}, "to": {asJSON([]int64{w.users[rand.IntN(len(w.users))]})},
				"content": {fmt.Sprintf("%d:%d", person, n)},
			}
		}
		// If an answer was lost, the database shows whether the message was stored. A call isn't canceled once it has
		// started, since the server doesn't cancel it either.
		reply := struct {
			ID int64 `json:"id"`
		}{}
		if w.people[person].call(context.WithoutCancel(ctx), http.MethodPost, "/messages", params, &reply) != nil {
			pause(ctx, 10*time.Millisecond)
		} else {
			w.confirm(reply.ID)
		}
		pause(ctx, time.Duration(rand.IntN(20))*time.Millisecond)
	}
}

// comeAndGo unsubscribes the last person from streams and subscribes them again. It never leaves the private stream, to
// which a person who isn't subscribed can't send.
func (w *crashWorld) comeAndGo(ctx context.Context) {
	person := w.people[len(w.people)-1]
	for ctx.Err() == nil {
		stream := w.streams[rand.IntN(3)]
		_ = person.insist(ctx, http.MethodDelete, "/users/me/subscriptions", url.Values{"subscriptions": {asJSON([]string{stream})}}, &struct{}{})
		pause(ctx, time.Duration(rand.IntN(100))*time.Millisecond)
		_ = person.insist(ctx, http.MethodPost, "/users/me/subscriptions", url.Values{"subscriptions": {fmt.Sprintf(`[{"name":%q}]`, stream)}}, &struct{}{})
		pause(ctx, time.Duration(rand.IntN(100))*time.Millisecond)
	}
}

// moreFollowers registers another queue at each interval until ctx ends. The queues are followed until following ends.
func (w *crashWorld) moreFollowers(ctx, following context.Context, every time.Duration) {
	for n := 0; pause(ctx, every); n++ {
		w.newFollower(following, fmt.Sprintf("latecomer %d", n), rand.IntN(len(w.people)), n%2 == 1)
	}
}

// confirm records that the server has confirmed a message.
func (w *crashWorld) confirm(message int64) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	w.confirmed[message] = time.Now()
}

// latest returns the message of a follower with the longest time between its confirmation by the server and its
// arrival.
func (w *crashWorld) latest(f *follower) (worst lateness) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	f.mutex.Lock()
	defer f.mutex.Unlock()
	for i, message := range f.messages {
		confirmed, ok := w.confirmed[message]
		if came := f.came[i]; ok && came.arrived.Sub(confirmed) > worst.late() {
			worst = lateness{message, confirmed, came.polled, came.arrived}
		}
	}
	return worst
}

// shard returns the shard of the organization, in which all queues are.
func (w *crashWorld) shard() int {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	for _, f := range w.followers {
		if shard, ok := queue.ShardOf(f.queue, 16); ok {
			return shard
		}
	}
	w.t.Error("nobody follows")
	return 0
}

// sever interrupts a wire for a second. Its connections stay dead afterwards, without being closed.
func sever(ctx context.Context, wire *testbed.Wire) {
	wire.Sever()
	pause(ctx, time.Second)
	wire.Mend()
}

// freeze stops a program for longer than its leases are valid.
func freeze(ctx context.Context, service *Process) {
	thaw := service.Freeze()
	pause(ctx, 4*time.Second)
	thaw()
}

// kill kills or stops servers and services, or severs their wires, one at a time until ctx ends, with calm periods in
// between. It returns the number of times for each.
func (w *crashWorld) kill(ctx context.Context, s *System, api *Process, events []*Process) map[string]int {
	services := append(slices.Clone(events), api)
	kills := map[string]int{}
	kill := func(what string, do func()) {
		kills[what]++
		done := w.seen.did(what)
		do()
		done()
	}
	for round := 0; pause(ctx, time.Duration(500+rand.IntN(1000))*time.Millisecond); round++ {
		var err error
		switch round % 15 {
		case 4:
			kill("postgres' wire", func() { sever(ctx, s.PostgresWire) })
		case 11:
			kill("redis' wire", func() { err = s.Unplug(ctx, time.Second) })
		case 13:
			kill("events stands still", func() { freeze(ctx, events[rand.IntN(len(events))]) })
		case 0, 5, 10:
			kill("redis", func() { err = s.KillRedis(ctx) })
		case 2, 7, 12:
			kill("postgres", func() { err = s.KillPostgres(ctx) })
		default:
			service := services[rand.IntN(len(services))]
			kill(service.Name(), service.Kill) // it is started again
		}
		if err != nil && ctx.Err() == nil {
			w.t.Errorf("restart: %v", err)
		}
		if round%stretch == stretch-1 {
			pause(ctx, calm)
		}
	}
	return kills
}

// pause waits, and reports false if ctx ended first.
func pause(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}

// expected returns functions for the messages that a queue should have got, and for a message's position in the log.
func (w *crashWorld) expected(t *testing.T) (of func(*follower) []int64, at func(message int64) store.Position) {
	t.Helper()
	ctx := t.Context()
	db, err := pgx.Connect(ctx, w.s.DatabaseURL())
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close(ctx)
	client, err := queue.Connect(w.s.queue)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() })
	redis := queue.New(client)

	// A transaction whose client was killed may still be in progress.
	for writing := -1; writing != 0; pause(ctx, 10*time.Millisecond) {
		if err := db.QueryRow(ctx, `select count(*) from pg_stat_activity where backend_xid is not null`).Scan(&writing); err != nil {
			t.Fatal(err)
		}
	}

	type sent struct {
		id, user int64
		store.Position
	}
	// Recipients are determined from the data that the API returns: subscriptions and conversations. The order is that
	// of the log.
	rows, err := db.Query(ctx, `
		select m.message_id, r.user_id, e.xid::text::bigint, e.id
		from messages m
		join event_log e on e.type = 'message' and (e.payload::jsonb -> 'message' ->> 'id')::bigint = m.message_id
		join lateral (
			select s.user_id from subscriptions s where s.stream_id = m.stream_id and s.received @> m.message_id
			union
			select c.user_id from conversation_members c where c.conversation_id = m.conversation_id
		) r on true
		order by e.xid, e.id`)
	if err != nil {
		t.Fatal(err)
	}
	all, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (s sent, err error) {
		err = row.Scan(&s.id, &s.user, &s.Xid, &s.ID)
		return s, err
	})
	if err != nil {
		t.Fatal(err)
	}
	var messages, events int
	err = db.QueryRow(ctx, `select (select count(*) from messages), (select count(*) from event_log where type = 'message')`).Scan(&messages, &events)
	if err != nil || messages != events {
		t.Errorf("%d messages, %d events of messages (%v)", messages, events, err)
	}
	positions := make(map[int64]store.Position, len(all))
	for _, s := range all {
		positions[s.id] = s.Position
	}
	of = func(f *follower) []int64 {
		shard, ok := queue.ShardOf(f.queue, 16)
		if !ok {
			t.Fatalf("queue %q", f.queue)
		}
		_, text, ok, err := redis.Find(ctx, shard, f.queue)
		for end := time.Now().Add(30 * time.Second); err != nil && time.Now().Before(end) && pause(ctx, 100*time.Millisecond); {
			_, text, ok, err = redis.Find(ctx, shard, f.queue) // a node that was just restarted waits for the others
		}
		if err != nil || !ok {
			t.Fatalf("queue %s: found %v, %v", f.queue, ok, err)
		}
		initial, err := store.ParseSnapshot(text)
		if err != nil {
			t.Fatal(err)
		}
		want := []int64(nil)
		for _, s := range all {
			if s.user == f.user && !initial.Contains(s.Xid) {
				want = append(want, s.id)
			}
		}
		return slices.Clip(want)
	}
	return of, func(message int64) store.Position { return positions[message] }
}
