package subscription_test

import (
	"fmt"
	"testing"

	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/pkg/subscription"
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
