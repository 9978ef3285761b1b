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
	"chatserver.dev/services/systemtest"
)

// send has a person write to all streams, and now and then to another person.
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
		// What became of a message whose answer was lost shows in the database. A call that has begun is
		// seen to its end, for so does the server.
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

// comeAndGo has the last person leave streams and come back. They never write to the private one
// without being in it, which would be refused.
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

// moreFollowers registers a queue every so often, in the middle of everything, until ctx ends. They follow for longer.
func (w *crashWorld) moreFollowers(ctx, following context.Context, every time.Duration) {
	for n := 0; pause(ctx, every); n++ {
		w.newFollower(following, fmt.Sprintf("latecomer %d", n), rand.IntN(len(w.people)))
	}
}

// confirm notes that the server has confirmed a message by now.
func (w *crashWorld) confirm(message int64) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	w.confirmed[message] = time.Now()
}

// latest returns how late a follower got a message at most, after the server had confirmed it, and when it got that one.
func (w *crashWorld) latest(f *follower) (late time.Duration, at time.Time) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	f.mutex.Lock()
	defer f.mutex.Unlock()
	for i, message := range f.messages {
		if confirmed, ok := w.confirmed[message]; ok && f.arrived[i].Sub(confirmed) > late {
			late, at = f.arrived[i].Sub(confirmed), f.arrived[i]
		}
	}
	return late, at
}

// sever lets a wire carry nothing for a second. What was connected stays dead, and nobody closes it.
func sever(ctx context.Context, wire *testbed.Wire) {
	wire.Sever()
	pause(ctx, time.Second)
	wire.Mend()
}

// kill kills servers and services, and severs their wires, one after the other until ctx ends. It returns how often it
// did so to each.
func (w *crashWorld) kill(ctx context.Context, s *systemtest.System, services []*systemtest.Process) map[string]int {
	kills := map[string]int{}
	for round := 0; pause(ctx, time.Duration(500+rand.IntN(1000))*time.Millisecond); round++ {
		var err error
		switch round % 15 {
		case 4:
			kills["postgres' wire"]++
			sever(ctx, s.PostgresWire)
		case 11:
			kills["redis' wire"]++
			sever(ctx, s.RedisWire)
		case 0, 5, 10:
			kills["redis"]++
			err = s.KillRedis(ctx)
		case 2, 7, 12:
			kills["postgres"]++
			err = s.KillPostgres(ctx)
		default:
			service := services[rand.IntN(len(services))]
			kills[service.Name()]++
			service.Kill() // it is started again
		}
		if err != nil && ctx.Err() == nil {
			w.t.Errorf("restart: %v", err)
		}
	}
	return kills
}

// pause reports false where ctx ended.
func pause(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}

// expected gives a function that tells which messages a queue should have got.
func (w *crashWorld) expected(t *testing.T) func(*follower) []int64 {
	t.Helper()
	ctx := t.Context()
	db, err := pgx.Connect(ctx, w.s.DatabaseURL())
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close(ctx)
	client, err := queue.Connect(queue.Config{URL: w.s.RedisURL()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() })
	redis := queue.New(client)

	// A transaction whose client was killed may still be on its way.
	for writing := -1; writing != 0; pause(ctx, 10*time.Millisecond) {
		if err := db.QueryRow(ctx, `select count(*) from pg_stat_activity where backend_xid is not null`).Scan(&writing); err != nil {
			t.Fatal(err)
		}
	}

	type sent struct {
		id, user int64
		xid      uint64
	}
	// Who got what, by the data that the interface shows: subscriptions and conversations. The order
	// is that of the log.
	rows, err := db.Query(ctx, `
		select m.message_id, r.user_id, e.xid::text::bigint
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
		return s, row.Scan(&s.id, &s.user, &s.xid)
	})
	if err != nil {
		t.Fatal(err)
	}
	var messages, events int
	err = db.QueryRow(ctx, `select (select count(*) from messages), (select count(*) from event_log where type = 'message')`).Scan(&messages, &events)
	if err != nil || messages != events {
		t.Errorf("%d messages, %d events of messages (%v)", messages, events, err)
	}
	return func(f *follower) []int64 {
		shard, ok := queue.ShardOf(f.queue, 16)
		if !ok {
			t.Fatalf("queue %q", f.queue)
		}
		_, text, ok, err := redis.Find(ctx, shard, f.queue)
		if err != nil || !ok {
			t.Fatalf("queue %s: found %v, %v", f.queue, ok, err)
		}
		initial, err := store.ParseSnapshot(text)
		if err != nil {
			t.Fatal(err)
		}
		want := []int64(nil)
		for _, s := range all {
			if s.user == f.user && !initial.Contains(s.xid) {
				want = append(want, s.id)
			}
		}
		return slices.Clip(want)
	}
}
