package subscription_test

import (
	"fmt"
	"testing"
	"time"

	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/pkg/subscription"
	"chatserver.dev/pkg/testbed"
)

// The bytes in the log for subscribing and for unsubscribing n people grow linearly with n, and the transactions are
// short.
func TestManyCostTheirNumber(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	people := storetest.Values[id.User](w.sql, `insert into users (org_id, email, full_name)
		select $1, 'person' || n || '@acme.example', 'Person ' || n from generate_series(1, 240) n returning user_id`, w.org.ID)
	cost := func(what string, n int, work func(stream string, whom subscription.Principals) error) (bytes int64) {
		t.Helper()
		since := storetest.Values[int64](w.sql, "select coalesce(max(id), 0) from event_log")[0]
		if err := work(fmt.Sprintf("stream of %d", n), subscription.Principals{IDs: people[:n]}); err != nil {
			t.Fatal(err)
		}
		const written = "select coalesce(sum(length(payload) + length(audience) + coalesce(length(change), 0)), 0) from event_log where id > $1"
		bytes = storetest.Values[int64](w.sql, written, since)[0]
		largest := storetest.Values[int64](w.sql, "select max(n) from (select count(*) as n from event_log where id > $1 group by xid) x", since)[0]
		if largest > 60 {
			t.Errorf("%s %d: one transaction recorded %d events", what, n, largest)
		}
		t.Logf("%s %d people: %d bytes, at most %d events in a transaction", what, n, bytes, largest)
		return bytes
	}
	subscribe := func(stream string, whom subscription.Principals) error {
		_, err := w.service.Subscribe(t.Context(), w.actor("admin"), subscription.Request{Streams: wanted(stream).Streams, New: wanted().New, Principals: whom})
		return err
	}
	unsubscribe := func(stream string, whom subscription.Principals) error {
		_, err := w.service.Unsubscribe(t.Context(), w.actor("admin"), []string{stream}, whom)
		return err
	}
	for _, test := range []struct {
		what string
		work func(stream string, whom subscription.Principals) error
	}{{"subscribe", subscribe}, {"unsubscribe", unsubscribe}} {
		one, two, four := cost(test.what, 60, test.work), cost(test.what, 120, test.work), cost(test.what, 240, test.work)
		if two > one*24/10 || four > two*24/10 {
			t.Errorf("%s: %d, %d and %d bytes for 60, 120 and 240 people", test.what, one, two, four)
		}
	}
	if left := storetest.Values[int64](w.sql, "select count(*) from subscriptions where active")[0]; left != 0 {
		t.Errorf("%d subscriptions are left", left)
	}
}

// People who are in all streams of a request are found by one query after its first transaction: nothing else is done for them. Those of
// an organization who aren't are subscribed by one transaction at a time, also by several requests.
func TestPortionsTakeTurns(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	people := storetest.Values[id.User](w.sql, `insert into users (org_id, email, full_name)
		select $1, 'person' || n || '@acme.example', 'Person ' || n from generate_series(1, 50) n returning user_id`, w.org.ID)
	subscribe := func(stream string, whom []id.User) <-chan error {
		done := make(chan error, 1)
		go func() {
			request := subscription.Request{Streams: wanted(stream).Streams, New: wanted().New, Principals: subscription.Principals{IDs: whom}}
			_, err := w.service.Subscribe(t.Context(), w.actor("admin"), request)
			done <- err
		}()
		return done
	}
	finish := func(what string, done <-chan error) {
		t.Helper()
		select {
		case err := <-done:
			if err != nil {
				t.Error(what, err)
			}
		case <-time.After(20 * time.Second):
			t.Error(what, "isn't done")
		}
	}
	members := func(stream string) int64 {
		return storetest.Values[int64](w.sql, "select count(*) from subscriptions join streams using (org_id, stream_id) where name = $1", stream)[0]
	}
	finish("pier", subscribe("pier", people[:25]))
	// blocked begins a request that has to wait for the stream's lock after its first transaction, until end is called.
	blocked := func(whom []id.User) (done <-chan error, end func()) {
		const lock = "select pg_advisory_xact_lock(stream_id) from streams where name = 'pier'"
		w.sql.Exec("begin")
		w.sql.Exec(lock)
		done = subscribe("pier", whom)
		w.sql.AwaitBlocked(1)
		next, locked := storetest.Connect(t, w.url), make(chan struct{})
		go func() {
			defer close(locked)
			next.Exec("begin")
			next.Exec(lock)
		}()
		w.sql.AwaitBlocked(2)
		w.sql.Exec("commit")
		<-locked
		return done, func() { next.Exec("commit") }
	}
	done, end := blocked(people[:25])
	finish("a request that changes nothing", done)
	end()

	done, end = blocked(people[25:])
	other := subscribe("quay", people)
	testbed.Until(t, "the first transaction of the other request", func() bool { return members("quay") > 0 })
	time.Sleep(50 * time.Millisecond) // it would continue now
	if pier, quay := members("pier"), members("quay"); pier != 45 || quay != 20 {
		t.Errorf("%d and %d subscriptions", pier, quay)
	}
	end()
	finish("pier", done)
	finish("quay", other)
}
