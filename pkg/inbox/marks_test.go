package inbox_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/inbox"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/storetest"
)

func TestRecentConversations(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada, bob, cid := w.person(w.acme, "ada"), w.person(w.acme, "bob"), w.person(w.acme, "cid")
	w.conversation(w.acme, 9101, ada)
	w.conversation(w.acme, 9102, ada, bob)
	w.conversation(w.acme, 9103, ada, bob, cid)
	w.conversation(w.acme, 9104, ada, cid) // without messages
	w.conversation(w.acme, 9105, bob, cid)
	w.messages(
		w.acme,
		row{ID: 1, Sender: bob, Conversation: 9102},
		row{ID: 2, Sender: bob, Conversation: 9103},
		row{ID: 3, Sender: ada, Conversation: 9101},
		row{ID: 4, Sender: ada, Conversation: 9102},
		row{ID: 5, Sender: cid, Conversation: 9105},
	)
	recent := func(u id.User) []inbox.Conversation {
		return read(w, w.acme, func(tx *store.Tx) ([]inbox.Conversation, error) { return inbox.RecentConversations(t.Context(), tx, u) })
	}
	want := []inbox.Conversation{
		{UserIDs: []id.User{bob}, MaxMessageID: 4},
		{UserIDs: []id.User{}, MaxMessageID: 3},
		{UserIDs: []id.User{bob, cid}, MaxMessageID: 2},
	}
	if diff := cmp.Diff(want, recent(ada)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]inbox.Conversation{}, recent(w.person(w.acme, "dan"))); diff != "" {
		t.Errorf("of an account without any (-want +got):\n%s", diff)
	}
}

func TestStarred(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada, bob := w.person(w.acme, "ada"), w.person(w.acme, "bob")
	w.exec(`insert into message_flags (org_id, user_id, message_id, flags) values
		($1, $2, 7, 2), ($1, $2, 5, 10), ($1, $2, 6, 8), ($1, $3, 8, 2)`, w.acme.ID, ada, bob)
	got := read(w, w.acme, func(tx *store.Tx) ([]id.Message, error) { return inbox.Starred(t.Context(), tx, ada) })
	if diff := cmp.Diff([]id.Message{5, 7}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A message that is above the mark and unread again, as some are after moves, is in one of the events of a stream that is marked in
// portions.
func TestNoMessageIsMarkedTwice(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada, bob := w.actor(w.acme, "ada"), w.person(w.acme, "bob")
	w.stream(w.acme, 9001)
	w.exec(`insert into subscriptions (org_id, stream_id, user_id, color, received) values ($1, 9001, $2, '#fff', '{[1,)}')`, w.acme.ID, ada.User)
	for _, n := range []id.Message{10, 20, 30, 40} {
		w.messages(w.acme, row{ID: n, Sender: bob, Stream: 9001, Topic: "a"})
	}
	w.exec(`insert into unread_again (org_id, user_id, messages) values ($1, $2, '{[20,21)}')`, w.acme.ID, ada.User)
	w.exec(`select setval('message_ids', 40)`)
	service := inbox.New(w.db)
	service.Hasten()
	if err := service.MarkTopic(t.Context(), ada, 9001, ""); err != nil {
		t.Fatal(err)
	}
	got := storetest.Values[string](w.session, `select payload::jsonb ->> 'messages' from event_log where type = 'update_message_flags' order by xid, id`)
	if diff := cmp.Diff([]string{"[10, 20, 30]", "[40]"}, got); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	if unread := list(w.unread(w.acme, ada.User)); len(unread) > 0 {
		t.Errorf("%v are unread", unread)
	}
}
