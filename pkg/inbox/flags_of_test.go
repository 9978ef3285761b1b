package inbox_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/inbox"
	"chatserver.dev/pkg/message"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/store"
)

func (w *world) flagsOf(o org.Org, m message.Visible) map[id.User]event.Flags {
	w.t.Helper()
	return read(w, o, func(tx *store.Tx) (map[id.User]event.Flags, error) {
		flags, _, err := inbox.FlagsOf(w.t.Context(), tx, m, nil)
		return flags, err
	})
}

func TestFlagsOfStreamMessage(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	person := func(name string) id.User { return w.person(w.acme, name) }
	sender, unread, readers, newcomer, left, gone, starrer, again := person("sender"), person("unread"), person("reader"), person("newcomer"),
		person("left"), person("gone"), person("starrer"), person("again")
	robot, spare := person("robot"), person("spare") // mentioned without a subscription
	w.stream(w.acme, 9001)
	w.exec(`insert into subscriptions (org_id, stream_id, user_id, active, color, received, read_upto)
		select $1, 9001, u, active, '#fff', received::int8multirange, upto from unnest($2::bigint[], $3::bool[], $4::text[], $5::bigint[]) v (u, active, received, upto)`,
		w.acme.ID, []id.User{sender, unread, readers, newcomer, left, gone, again}, []bool{true, true, true, true, false, false, true},
		[]string{"{[1,)}", "{[1,)}", "{[1,)}", "{[50,)}", "{[1,30)}", "{[1,5)}", "{[1,)}"}, []int64{0, 0, 0, 0, 30, 5, 20})
	w.exec(`insert into topic_marks (org_id, user_id, stream_id, topic_key, read) values ($1, $2, 9001, 'ä', '{[9,12)}')`, w.acme.ID, readers)
	w.exec(`insert into unread_again (org_id, user_id, messages) values ($1, $2, '{[10,11)}')`, w.acme.ID, again)
	w.exec(`insert into message_flags (org_id, user_id, message_id, flags) values ($1, $2, 10, 1026), ($1, $3, 10, 24), ($1, $3, 11, 2),
		($1, $4, 10, 2056), ($1, $5, 10, 2057)`, w.acme.ID, starrer, unread, robot, spare)
	w.messages(w.acme, row{ID: 10, Sender: sender, Stream: 9001, Topic: "Ä", Flags: 3})
	want := map[id.User]event.Flags{
		sender: event.Read | event.WildcardMentioned, unread: event.Mentioned | event.WildcardMentioned,
		readers: event.Read | event.WildcardMentioned, newcomer: event.Read, left: event.Read | event.WildcardMentioned,
		starrer: event.Read | event.Starred | event.Historical, again: event.WildcardMentioned,
		robot: event.Mentioned | event.WildcardMentioned, spare: event.Read | event.Mentioned | event.WildcardMentioned,
	}
	if diff := cmp.Diff(want, w.flagsOf(w.acme, message.Visible{ID: 10, StreamID: 9001, Attributes: message.MentionsAll})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[id.User]event.Flags{}, w.flagsOf(w.other, message.Visible{ID: 10, StreamID: 9001})); diff != "" {
		t.Errorf("for another organization (-want +got):\n%s", diff)
	}
}

func TestFlagsOfPrivateMessage(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada, bob, cid := w.person(w.acme, "ada"), w.person(w.acme, "bob"), w.person(w.acme, "cid")
	w.person(w.acme, "dan")
	w.conversation(w.acme, 9101, ada, bob, cid)
	w.messages(w.acme, row{ID: 10, Sender: ada, Conversation: 9101})
	w.exec(`update conversation_members set read = '{[10,11)}' where user_id = $1`, bob)
	w.exec(`insert into message_flags (org_id, user_id, message_id, flags) values ($1, $2, 10, 6)`, w.acme.ID, cid)
	want := map[id.User]event.Flags{bob: event.Read, cid: event.Starred | event.Collapsed}
	if diff := cmp.Diff(want, w.flagsOf(w.acme, message.Visible{ID: 10, Conversation: 9101})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
