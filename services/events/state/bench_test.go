package state_test

import (
	"encoding/json"
	"testing"
	"time"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/services/events/state"
	"chatserver.dev/services/servicetest"
)

// city creates an organization with 10,000 people, 500 streams and 100,000 messages. Each person is subscribed to 20
// streams, and has read all but the newest messages. Ann has 20 conversations.
func city(tb testing.TB) (*servicetest.World, servicetest.Account) {
	tb.Helper()
	w := servicetest.New(tb)
	ann := w.Person("Ann", actor.Administrator)
	for _, sql := range []string{
		`insert into users (org_id, user_id, email, full_name, settings)
			select $1, 1000000 + n, 'person' || n || '@city.example', 'Person ' || n, '{"dense_mode": false}' from generate_series(1, 10000) n`,
		`insert into streams (org_id, stream_id, name, description, rendered_description, created_at)
			select $1, 1000000 + n, 'stream ' || n, 'About ' || n, '<p>About ' || n || '</p>', now() - interval '40 days' from generate_series(1, 500) n`,
		storetest.InsertMessages(`select $1::bigint as org_id, n as message_id, 1000000 + n % 10000 as sender_id, 1000001 + n * 7 % 500 as stream_id,
			'topic ' || n % 13 as topic, repeat('content ', 20) as content, repeat('<p>content</p>', 20) as rendered,
			now() - interval '60 days' + n * interval '40 seconds' as sent_at from generate_series(1, 100000) n`),
		`insert into subscriptions (org_id, stream_id, user_id, color, received, read_upto)
			select $1, 1000001 + (u.user_id + n * 25) % 500, u.user_id, '#c2c2c2', '{[1,)}', 90000 from users u, generate_series(1, 20) n
			where u.org_id = $1 and not u.system`,
		`insert into conversations (org_id, conversation_id, members)
			select $1, 2000000 + n, array[1000000 + n, 1000001 + n] from generate_series(1, 20) n`,
		`insert into conversation_members (org_id, conversation_id, user_id)
			select c.org_id, c.conversation_id, m from conversations c, unnest(c.members) m`,
		`insert into conversation_members (org_id, conversation_id, user_id)
			select c.org_id, c.conversation_id, u.user_id from conversations c, users u where u.org_id = $1 and u.full_name = 'Ann'`,
		storetest.InsertMessages(`select $1::bigint as org_id, 200000 + n as message_id, 1000001 as sender_id, 2000001 + n % 20 as conversation_id
			from generate_series(1, 2000) n`),
		`insert into muted_topics (org_id, user_id, stream_id, topic)
			select $1, u.user_id, s.stream_id, 'Topic 3' from users u, streams s where u.org_id = $1 and u.full_name = 'Ann' and s.stream_id % 5 = 0`,
	} {
		args := []any{w.Org.ID}
		exec(tb, w, sql, args[:min(1, countParams(sql))]...)
	}
	exec(tb, w, `vacuum analyze`)
	return w, ann
}

func countParams(sql string) int {
	for i := range sql {
		if sql[i] == '$' {
			return 1
		}
	}
	return 0
}

// BenchmarkRead measures a registration for the complete state, without queue and network.
func BenchmarkRead(b *testing.B) {
	w, ann := city(b)
	// JIT compilation takes longer than these statements do.
	db, err := store.Open(b.Context(), store.Config{URL: w.DatabaseURL + "&jit=off", Connections: 2}, nil)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(db.Close)
	reader := state.New(state.Deps{Orgs: w.Orgs, Users: w.Users, Subscriptions: w.Subscriptions, Statuses: w.Statuses, Now: time.Now})
	for _, c := range []struct {
		name    string
		request state.Request
	}{
		{"everything", state.Request{}},
		{"with subscribers", state.Request{IncludeSubscribers: true}},
		{"users", state.Request{Selectors: []string{"realm_user"}}},
		{"subscriptions", state.Request{Selectors: []string{"subscription"}}},
		{"streams", state.Request{Selectors: []string{"stream"}}},
		{"unread", state.Request{Selectors: []string{"message", "update_message_flags"}}},
		{"conversations", state.Request{Selectors: []string{"recent_private_conversations"}}},
		{"settings", state.Request{Selectors: []string{"update_display_settings"}}},
	} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				err := db.Snapshot(b.Context(), w.Org.ID, func(tx *store.Tx, _ store.Snapshot) error {
					read, err := reader.Read(b.Context(), tx, ann.Actor(w.Org, nil), c.request)
					if err != nil {
						return err
					}
					encoded, err := json.Marshal(read)
					b.SetBytes(int64(len(encoded)))
					return err
				})
				if err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
