package inbox_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/inbox"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/pkg/testbed"
)

func (w *world) unread(o org.Org, u id.User) inbox.Unread {
	w.t.Helper()
	return read(w, o, func(tx *store.Tx) (inbox.Unread, error) { return inbox.ReadUnread(w.t.Context(), tx, u) })
}

// list returns the ids of everything unread, ascending.
func list(unread inbox.Unread) []id.Message {
	all := []id.Message{}
	for _, in := range unread.Private {
		all = append(all, in.Messages...)
	}
	for _, in := range unread.Groups {
		all = append(all, in.Messages...)
	}
	for _, in := range unread.Streams {
		all = append(all, in.Messages...)
	}
	slices.Sort(all)
	return all
}

func TestUnread(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada, bob, cid := w.person(w.acme, "ada"), w.person(w.acme, "bob"), w.person(w.acme, "cid")
	eve := w.person(w.other, "eve")
	for stream := id.Stream(9001); stream <= 9005; stream++ {
		w.stream(w.acme, stream)
	}
	w.stream(w.other, 9006)
	w.conversation(w.acme, 9101, ada)
	w.conversation(w.acme, 9102, ada, bob)
	w.conversation(w.acme, 9103, ada, bob, cid)
	w.conversation(w.acme, 9104, bob, cid)
	none := inbox.Unread{Private: []inbox.UnreadPrivate{}, Streams: []inbox.UnreadTopic{}, Groups: []inbox.UnreadGroup{}, Mentions: []id.Message{}}
	if diff := cmp.Diff(none, w.unread(w.acme, ada)); diff != "" {
		t.Errorf("before everything (-want +got):\n%s", diff)
	}
	w.exec(`insert into subscriptions (org_id, stream_id, user_id, active, color, muted, received, read_upto) values
		($1, 9001, $2, true, '#fff', false, '{[100,110),[120,)}', 103),
		($1, 9002, $2, true, '#fff', true, '{[1,)}', 0),
		($1, 9003, $2, false, '#fff', false, '{[1,)}', 0),
		($1, 9004, $3, true, '#fff', false, '{[1,)}', 0)`, w.acme.ID, ada, bob)
	w.exec(`insert into subscriptions (org_id, stream_id, user_id, active, color, received) values ($1, 9006, $2, true, '#fff', '{[1,)}')`, w.other.ID, eve)
	w.exec(`insert into muted_topics (org_id, user_id, stream_id, topic) values ($1, $2, 9001, 'äRGER')`, w.acme.ID, ada)
	w.exec(`update conversation_members set read_upto = 300 where user_id = $1 and conversation_id = 9102`, ada)
	w.exec(`update users set read_upto = 12 where user_id = $1`, ada)
	const fromApp, all = 2, 1
	w.messages(
		w.acme,
		row{ID: 102, Sender: bob, Stream: 9001, Topic: "valves"}, // read
		row{ID: 104, Sender: cid, Stream: 9001, Topic: "valves"},
		row{ID: 105, Sender: bob, Stream: 9001, Topic: "Valves"}, // another topic
		row{ID: 109, Sender: bob, Stream: 9001, Topic: "valves", Flags: all},
		row{ID: 115, Sender: bob, Stream: 9001, Topic: "valves"}, // not subscribed at that time
		row{ID: 120, Sender: cid, Stream: 9001, Topic: "valves"},
		row{ID: 121, Sender: ada, Stream: 9001, Topic: "valves", Flags: fromApp}, // read for its sender
		row{ID: 122, Sender: ada, Stream: 9001, Topic: "valves"},                 // by a script
		row{ID: 123, Sender: bob, Stream: 9001, Topic: "Ärger", Flags: all},      // muted
		row{ID: 124, Sender: bob, Stream: 9001, Topic: "Ärger"},                  // muted, mentions ada
		row{ID: 12, Sender: bob, Stream: 9002, Topic: "read"},
		row{ID: 13, Sender: bob, Stream: 9002, Topic: "muted stream", Flags: fromApp | all},
		row{ID: 14, Sender: bob, Stream: 9003, Topic: "left", Flags: all},
		row{ID: 15, Sender: bob, Stream: 9004, Topic: "never subscribed"},
		row{ID: 200, Sender: ada, Conversation: 9101},
		row{ID: 299, Sender: bob, Conversation: 9102},
		row{ID: 301, Sender: ada, Conversation: 9102}, // by a script
		row{ID: 302, Sender: bob, Conversation: 9102, Flags: fromApp},
		row{ID: 250, Sender: cid, Conversation: 9103},
		row{ID: 251, Sender: cid, Conversation: 9104},
	)
	w.messages(w.other, row{ID: 125, Sender: eve, Stream: 9006, Topic: "theirs"})
	w.exec(`insert into message_flags (org_id, user_id, message_id, flags) values ($1, $2, 124, 8), ($1, $2, 102, 8), ($1, $2, 302, 10),
		($1, $2, 301, 2), ($1, $3, 104, 8), ($1, $2, 14, 8)`, w.acme.ID, ada, bob)
	want := inbox.Unread{
		Private: []inbox.UnreadPrivate{
			{OtherID: ada, Messages: []id.Message{200}},
			{OtherID: bob, Messages: []id.Message{301, 302}},
		},
		Streams: []inbox.UnreadTopic{
			{StreamID: 9001, Topic: "Valves", Messages: []id.Message{105}, SenderIDs: []id.User{bob}},
			{StreamID: 9001, Topic: "valves", Messages: []id.Message{104, 109, 120, 122}, SenderIDs: []id.User{ada, bob, cid}},
			{StreamID: 9001, Topic: "Ärger", Messages: []id.Message{123, 124}, SenderIDs: []id.User{bob}},
			{StreamID: 9002, Topic: "muted stream", Messages: []id.Message{13}, SenderIDs: []id.User{bob}},
		},
		Groups:   []inbox.UnreadGroup{{Members: numbers(ada, bob, cid), Messages: []id.Message{250}}},
		Mentions: []id.Message{109, 124, 302},
		Count:    9, // 200, 301, 302, 250, 105, 104, 109, 120, 122
	}
	if diff := cmp.Diff(want, w.unread(w.acme, ada)); diff != "" {
		t.Errorf("ada (-want +got):\n%s", diff)
	}
	theirs := none
	theirs.Streams = []inbox.UnreadTopic{{StreamID: 9006, Topic: "theirs", Messages: []id.Message{125}, SenderIDs: []id.User{eve}}}
	theirs.Count = 1
	if diff := cmp.Diff(theirs, w.unread(w.other, eve)); diff != "" {
		t.Errorf("eve (-want +got):\n%s", diff)
	}
}

func numbers(users ...id.User) string {
	texts := make([]string, len(users))
	for i, u := range users {
		texts[i] = strconv.FormatInt(int64(u), 10)
	}
	return strings.Join(texts, ",")
}

// flood sends ada many messages in two streams and a conversation, with large gaps between their ids. Every tenth is
// her own from an app.
func (w *world) flood(ada, bob id.User, messages int) {
	w.t.Helper()
	w.stream(w.acme, 9001)
	w.stream(w.acme, 9002)
	w.conversation(w.acme, 9101, ada, bob)
	w.exec(`insert into subscriptions (org_id, stream_id, user_id, color, received) values
		($1, 9001, $2, '#fff', '{[1,)}'), ($1, 9002, $2, '#fff', '{[1,)}')`, w.acme.ID, ada)
	w.exec(storetest.InsertMessages(`select $1::bigint as org_id, n * 40 as message_id, case n % 10 when 0 then $2::bigint else $3::bigint end as sender_id,
			case n % 3 when 0 then null else 9000 + n % 3 end as stream_id, case n % 3 when 0 then 9101 end as conversation_id, 't' || n % 7 as topic, 2 as flags
		from generate_series(1, $4::int) n`), w.acme.ID, ada, bob, messages)
	w.exec(`analyze messages, subscriptions, streams, conversations, conversation_members, users`)
}

// Only the newest messages are returned, and read ones don't count for that limit.
func TestUnreadNewest(t *testing.T) {
	testbed.Slow(t)
	t.Parallel()
	w := newWorld(t)
	ada, bob := w.person(w.acme, "ada"), w.person(w.acme, "bob")
	const messages = 60_000
	w.flood(ada, bob, messages)
	unread := w.unread(w.acme, ada)
	got := map[id.Message]bool{}
	for _, in := range unread.Private {
		for _, m := range in.Messages {
			got[m] = true
		}
	}
	for _, in := range unread.Streams {
		for _, m := range in.Messages {
			got[m] = true
		}
	}
	want := map[id.Message]bool{}
	for n := messages; len(want) < inbox.MaxUnread; n-- {
		if n%10 != 0 {
			want[id.Message(n*40)] = true
		}
	}
	if unread.Count != inbox.MaxUnread || len(unread.Streams) != 14 {
		t.Errorf("%d messages in %d topics", unread.Count, len(unread.Streams))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%.2000s", diff)
	}
}
