package bounds_test

import (
	"fmt"
	"testing"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/pkg/testbed"
	"chatserver.dev/pkg/user"
)

// What is about one stream or one account writes a few rows and events, however many it concerns.
func TestSmallChanges(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 450)
	hall := w.crowded(100)
	path := fmt.Sprintf("/streams/%d", hall)
	properties := make([]params, 1000)
	for i := range properties {
		properties[i] = params{"stream_id": hall, "property": "color", "value": "#aabbcc"}
	}
	few := bound{events: 5, bytes: 5000, rows: 5}
	for _, test := range []struct {
		what, method, path string
		params             params
		limit              bound
	}{
		{"a new name", "PATCH", path, params{"new_name": `"lobby"`}, few},
		{"a new description", "PATCH", path, params{"description": `"where people meet"`}, few},
		{"a private stream", "PATCH", path, params{"is_private": true, "history_public_to_subscribers": false}, few},
		{"an open history", "PATCH", path, params{"is_private": true, "history_public_to_subscribers": true}, few},
		{"a public stream", "PATCH", path, params{"is_private": false}, few},
		{"a policy", "PATCH", path, params{"stream_post_policy": 2}, few},
		{"a default stream", "POST", "/default_streams", params{"stream_id": hall}, few},
		{"no default stream", "DELETE", "/default_streams", params{"stream_id": hall}, few},
		{"a setting", "PATCH", "/realm", params{"mandatory_topics": true}, few},
		{"settings", "PATCH", "/realm", params{"allow_message_editing": false, "name": "Mill", "notifications_stream_id": hall}, few},
		{"a domain", "POST", "/realm/domains", params{"domain": "corp.example", "allow_subdomains": true}, few},
		{"no domain", "DELETE", "/realm/domains/corp.example", nil, few},
		{"a linkifier", "POST", "/realm/filters", params{"pattern": "#(?P<id>[0-9]+)", "url_format_string": "https://t.example/%(id)s"}, few},
		{"a group", "POST", "/default_stream_groups/create", params{"group_name": "g", "description": "d", "stream_names": []string{"lobby"}}, few},
		{"everything read", "POST", "/mark_all_as_read", nil, few},
		{"1,000 properties", "POST", "/users/me/subscriptions/properties", params{"subscription_data": properties}, bound{events: 1000, bytes: 200_000, rows: 1000}},
	} {
		w.look()
		w.ada.Do(test.method, test.path, test.params).OK()
		w.holds(test.what, test.limit)
	}
}

// An account that goes is one row, with all of its subscriptions and unread messages, and so is one that comes back, but for
// what it has received in its streams. Others learn of its first streams at once.
func TestAccountsChangeInOneRow(t *testing.T) {
	testbed.Slow(t)
	t.Parallel()
	w := newWorld(t, 1)
	w.sql.Exec("insert into streams (org_id, name) select $1, 'stream ' || n from generate_series(1, 2000) n", w.Org.ID)
	w.sql.Exec(`insert into subscriptions (org_id, stream_id, user_id, color, received)
		select org_id, stream_id, $1, '#fff', int8multirange(int8range(0, null)) from streams`, w.people[0])
	w.sql.Exec("update users set bot_type = 1, owner_id = $1 where user_id = $2", w.ada.ID, w.people[0])
	for what, change := range map[string]user.Change{
		"a name": {FullName: new("Pump house")}, "a role": {Role: new(actor.Administrator)}, "no owner": {Owner: new(id.User(0))},
	} {
		w.change(what, change, 1)
	}
	w.change("deactivated", user.Change{Active: new(false)}, 1)
	sent := storetest.Values[int64](w.sql, "select nextval('message_ids')")[0]
	w.notified("vacate", 50)
	w.Resume()
	w.notified("vacate", 2000)
	w.change("reactivated", user.Change{Active: new(true)}, 50)
	w.notified("peer_add", 50)
	after := storetest.Values[int64](w.sql, "select nextval('message_ids')")[0]
	w.Resume()
	w.notified("occupy", 2000)
	w.notified("peer_add", 2000)
	w.holds("all of its streams", bound{events: 400, bytes: 150_000, rows: 200})
	if n := storetest.Values[int64](w.sql, "select count(*) from subscriptions where user_id = $1 and not received @> $2::bigint and received @> $3::bigint",
		w.people[0], sent, after)[0]; n < 2000 {
		w.t.Errorf("in %d streams the account hasn't received what was sent meanwhile, and has received what was sent since", n)
	}
}

// notified fails the test unless the events with an operation since [world.look] are about this many streams.
func (w *world) notified(op string, want int64) {
	w.t.Helper()
	got := storetest.Values[int64](w.sql, "select count(distinct coalesce(payload::jsonb ->> 'stream_id', payload::jsonb #>> '{streams,0,stream_id}')) from event_log where id > $1 and payload::jsonb ->> 'op' = $2", w.since, op)[0]
	if got != want {
		w.t.Errorf("%s of %d streams, want %d", op, got, want)
	}
}

// change changes the first of the people.
func (w *world) change(what string, change user.Change, rows int64) {
	w.t.Helper()
	w.look()
	err := w.DB.Write(w.t.Context(), w.Org.ID, func(tx *store.Tx) error {
		_, err := user.Update(w.t.Context(), tx, w.Org, id.User(w.people[0]), change)
		return err
	})
	if err != nil {
		w.t.Fatalf("%s: %v", what, err)
	}
	w.holds(what, bound{events: 4 + 2*50, bytes: 4000 + 50*700, rows: rows})
}
