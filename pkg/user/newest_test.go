package user_test

import (
	"os"
	"strings"
	"testing"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/pkg/testbed"
	"chatserver.dev/pkg/user"
)

func (s *server) newest(u user.User) id.Message {
	s.t.Helper()
	newest := id.Message(0)
	s.write(s.acme, func(tx *store.Tx) (err error) {
		newest, err = user.NewestReceived(s.t.Context(), tx, u.ID)
		return err
	})
	return newest
}

// fill adds a stream to acme, with messages of which ada received some, and a conversation with ada.
func (s *server) fill(ada user.User) {
	s.t.Helper()
	s.exec(`insert into streams (org_id, stream_id, name) values ($1, 9001, 'one'), ($1, 9002, 'two')`, s.acme.ID)
	s.exec(storetest.InsertMessages("select $1::bigint as org_id, n as message_id, 1 as sender_id, 9001 + n % 2 as stream_id from generate_series(1, 20000) n"), s.acme.ID)
	s.exec(`insert into subscriptions (org_id, stream_id, user_id, active, color, received) values
		($1, 9001, $2, false, '#fff', '{[1,2),[100,201),[30000,)}')`, s.acme.ID, ada.ID)
	s.exec(`analyze messages, subscriptions`)
}

func TestNewestReceived(t *testing.T) {
	testbed.Slow(t)
	t.Parallel()
	s := newServer(t, nil)
	ada, _ := s.person(s.acme, "ada", actor.Member)
	bob, _ := s.person(s.acme, "bob", actor.Member)
	if got := s.newest(ada); got != -1 {
		t.Errorf("%d before the first message", got)
	}
	s.fill(ada)
	if got := s.newest(ada); got != 200 {
		t.Errorf("%d, want the last one of a subscription that ended", got)
	}
	if got := s.newest(bob); got != -1 {
		t.Errorf("%d for an account that received nothing", got)
	}
	s.exec(`insert into conversations (org_id, conversation_id, members) values ($1, 9003, array[$2, $3]::bigint[])`, s.acme.ID, ada.ID, bob.ID)
	s.exec(`insert into conversation_members (org_id, conversation_id, user_id) values ($1, 9003, $2), ($1, 9003, $3)`, s.acme.ID, ada.ID, bob.ID)
	s.exec(storetest.InsertMessages("select $1::bigint as org_id, 20005 as message_id, $2::bigint as sender_id, 9003 as conversation_id"), s.acme.ID, bob.ID)
	for _, u := range []user.User{ada, bob} {
		if got := s.newest(u); got != 20005 {
			t.Errorf("%d for %s, want the private message", got, u.FullName)
		}
	}
	s.exec(`insert into subscriptions (org_id, stream_id, user_id, color, received) values ($1, 9002, $2, '#fff', '{[15000,)}')`, s.acme.ID, bob.ID)
	s.exec(storetest.InsertMessages("select $1::bigint as org_id, 20006 as message_id, 1 as sender_id, 9002 as stream_id"), s.acme.ID)
	if got := s.newest(bob); got != 20006 {
		t.Errorf("%d, want the newest of an open subscription", got)
	}
	if got := s.newest(ada); got != 20005 {
		t.Errorf("%d for an account that isn't subscribed", got)
	}
}

// The query must need only a few index probes under row-level security, however many messages there are.
func TestNewestReceivedUsesIndexes(t *testing.T) {
	testbed.Slow(t)
	t.Parallel()
	s := newServer(t, nil)
	ada, _ := s.person(s.acme, "ada", actor.Member)
	s.fill(ada)
	queries, err := os.ReadFile("../store/query/user.sql")
	if err != nil {
		t.Fatal(err)
	}
	_, query, found := strings.Cut(string(queries), "-- name: NewestReceived :one\n")
	if !found {
		t.Fatal("no query NewestReceived")
	}
	query, _, _ = strings.Cut(query, ";")
	query = strings.ReplaceAll(query, "@user_id", number(ada.ID))

	session := storetest.Connect(t, s.url)
	session.Exec("set role chatserver_service")
	session.Exec("set app.org = " + number(id.User(s.acme.ID)))
	lines := storetest.Values[string](session, "explain "+query)
	plan := strings.Join(lines, "\n")
	if strings.Contains(plan, "Seq Scan on messages") || !strings.Contains(plan, "messages_stream") ||
		!strings.Contains(plan, "message_id >= ranges.first") || strings.Contains(plan, "Filter: ((m.message_id") {
		t.Errorf("plan:\n%s", plan)
	}
}
