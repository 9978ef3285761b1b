package subscription_test

import (
	"testing"

	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/markdown"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/pkg/subscription"
)

// The current subscribers are in the next state that any process reads. A snapshot contains those at its time.
func TestSubscribersAreCurrent(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.subscribe(t, "ann", w.with(wanted("turbine"), "ann", "bob"))
	w.subscribe(t, "ann", w.with(wanted("quiet"), "ann", "bob"))
	turbine, bob := w.row(t, "turbine").StreamID, w.users["bob"].ID
	processes := []*subscription.Service{w.service, subscription.New(w.db, w.orgs, markdown.New(markdown.Config{}), w.notices, w.clock.Now)}
	read := func(tx *store.Tx) (found []map[string][]id.User) {
		for _, p := range processes {
			state, err := p.State(t.Context(), tx, w.actor("ann"), subscription.StateOptions{Subscribers: true})
			if err != nil {
				t.Error(err)
			}
			of := map[string][]id.User{}
			for _, s := range state.Subscribed {
				of[s.Name] = s.Subscribers
			}
			found = append(found, of)
		}
		return found
	}
	snapshot := func(work func(tx *store.Tx)) {
		err := w.db.Snapshot(t.Context(), w.org.ID, func(tx *store.Tx, _ store.Snapshot) error {
			work(tx)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	sql := func(statement string) func() {
		return func() { w.sql.Exec(statement, w.org.ID, turbine, bob) }
	}
	quiet := []id.User{w.users["ann"].ID, bob}
	for _, change := range []struct {
		name string
		make func()
	}{
		{"subscribed", func() { w.subscribe(t, "ann", w.with(wanted("turbine"), "guest")) }},
		{"unsubscribed", func() { w.unsubscribe(t, "bob", "turbine") }},
		{"subscribed again", func() { w.subscribe(t, "bob", wanted("turbine")) }},
		{"removed", sql("delete from subscriptions where org_id = $1 and stream_id = $2 and user_id = $3")},
		{"imported", sql("insert into subscriptions (org_id, stream_id, user_id, color) values ($1, $2, $3, '')")},
		{"twice in a transaction", sql(`with added as (insert into subscriptions (org_id, stream_id, user_id, color)
				select $1, $2, user_id, '' from users where org_id = $1 and full_name = 'ADMIN')
			update subscriptions set active = false where org_id = $1 and stream_id = $2 and user_id = $3`)},
		{"active", sql("update subscriptions set active = true where org_id = $1 and stream_id = $2 and user_id = $3")},
	} {
		snapshot(func(old *store.Tx) {
			before := read(old)
			change.make()
			now := storetest.Values[id.User](w.sql, "select user_id from subscriptions where stream_id = $1 and active order by user_id", turbine)
			want := map[string][]id.User{"turbine": now, "quiet": quiet}
			for range 2 {
				snapshot(func(tx *store.Tx) { same(t, change.name, []map[string][]id.User{want, want}, read(tx)) })
				same(t, change.name+", before", before, read(old))
			}
		})
	}
	w.sql.Exec("update users set active = false where user_id = $1", bob)
	snapshot(func(tx *store.Tx) {
		for _, found := range read(tx) {
			same(t, "without a deactivated account", quiet[:1], found["quiet"])
		}
	})
	w.sql.Exec("update users set active = true where user_id = $1", bob)
	snapshot(func(tx *store.Tx) {
		for _, found := range read(tx) {
			same(t, "with the account", quiet, found["quiet"])
		}
	})
}

// Subscribers are read again only after subscriptions have changed, whatever else changes.
func TestSubscribersAreKept(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.subscribe(t, "ann", w.with(wanted("turbine"), "ann", "bob"))
	row := w.row(t, "turbine")
	list := func() []id.User {
		found, err := w.service.List(t.Context(), w.actor("ann"), true)
		if err != nil {
			t.Fatal(err)
		}
		return found[0].Subscribers
	}
	list()
	w.sql.Exec("update subscriptions set read_upto = read_upto + 1, muted = true, active = true")
	same(t, "transaction", row.SubscribersXid, w.row(t, "turbine").SubscribersXid)
	w.sql.Exec("set session_replication_role = replica") // disables triggers
	w.sql.Exec("delete from subscriptions where user_id = $1", w.users["bob"].ID)
	same(t, "subscribers", []id.User{w.users["ann"].ID, w.users["bob"].ID}, list())
}
