package inbox_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/inbox"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/storetest"
)

// marks are an account's rows of read state, as text.
type marks struct {
	Topics []string // topic, mark and ranges
	Again  []string
}

func (w *world) marks(u id.User) marks {
	w.t.Helper()
	text := func(sql string) []string { return storetest.Values[string](w.session, sql, u) }
	return marks{
		Topics: text(`select topic_key || ' ' || read_upto || ' ' || read::text from topic_marks where user_id = $1 order by stream_id, 1`),
		Again:  text(`select messages::text from unread_again where user_id = $1 and messages <> '{}'`),
	}
}

// move moves messages between topics, with their marks. Some of the marks are written before.
func (w *world) move(m inbox.Moved) {
	w.t.Helper()
	for _, work := range []func(tx *store.Tx) error{w.preceding(m), w.preceding(m), w.moving(m)} {
		if err := w.db.Write(w.t.Context(), w.acme.ID, work); err != nil {
			w.t.Fatal(err)
		}
	}
}

// preceding returns a transaction that writes one of the marks before messages move.
func (w *world) preceding(m inbox.Moved) func(tx *store.Tx) error {
	return func(tx *store.Tx) error {
		marks, err := m.Marks(w.t.Context(), tx)
		if err != nil {
			return err
		}
		some, _ := marks.First(1)
		return some.Save(w.t.Context(), tx)
	}
}

// moving returns a transaction that moves messages: it reads the marks, moves the messages, and then writes the
// marks.
func (w *world) moving(m inbox.Moved) func(tx *store.Tx) error {
	return func(tx *store.Tx) error {
		marks, err := m.Marks(w.t.Context(), tx)
		if err != nil {
			return err
		}
		w.exec(`update messages set stream_id = $1, topic = $2 where message_id = any ($3)`, m.ToStream, m.ToTopic, m.Messages)
		return marks.Save(w.t.Context(), tx)
	}
}

// Topic "a" has the messages 10, 20 and 30, and topic "b" of the same stream 15 and 40.
func TestMoveMarksInStream(t *testing.T) {
	t.Parallel()
	all := []id.Message{10, 15, 20, 30, 40}
	for _, test := range []struct {
		name   string
		marks  string // of the stream
		topics string // topic_marks
		again  string
		moved  []id.Message // from a to b
		topic  string       // instead of b
		unread []id.Message
		want   marks
	}{
		{"nothing is read", "0", "", "{}", []id.Message{10, 30}, "b", all, marks{[]string{}, []string{}}},
		{"everything is read", "100", "", "{}", []id.Message{10, 30}, "b", []id.Message{}, marks{[]string{}, []string{}}},
		{"the stream decides", "20", "", "{}", []id.Message{10, 20, 30}, "b", []id.Message{30, 40}, marks{[]string{}, []string{}}},
		{
			"read ones bring ranges along, which join", "0", "('a', 30, '{}')", "{}",
			[]id.Message{20, 30},
			"b",
			[]id.Message{15, 40},
			marks{[]string{"a 30 {}", "b 0 {[20,31)}"}, []string{}},
		},
		{
			"between others they don't", "0", "('a', 30, '{}')", "{}",
			[]id.Message{10, 20, 30},
			"b",
			[]id.Message{15, 40},
			marks{[]string{"a 30 {}", "b 0 {[10,11),[20,31)}"}, []string{}},
		},
		{
			"they merge into the mark", "9", "('a', 30, '{}'), ('b', 0, '{[11,16)}')", "{}",
			[]id.Message{10, 30},
			"b",
			[]id.Message{40},
			marks{[]string{"a 30 {}", "b 15 {[30,31)}"}, []string{}},
		},
		{
			"unread ones are holes", "0", "('b', 50, '{}')", "{}",
			[]id.Message{10, 30},
			"b",
			[]id.Message{10, 20, 30},
			marks{[]string{"b 50 {}"}, []string{"{[10,11),[30,31)}"}},
		},
		{
			"what is unread again stays so", "0", "('a', 30, '{}')", "{[20,21)}",
			[]id.Message{20, 30},
			"b",
			[]id.Message{15, 20, 40},
			marks{[]string{"a 30 {}", "b 0 {[20,31)}"}, []string{"{[20,21)}"}},
		},
		{"another case", "0", "('a', 20, '{}')", "{}", []id.Message{10, 20, 30}, "A", []id.Message{15, 30, 40}, marks{[]string{"a 20 {}"}, []string{}}},
		{"no messages", "0", "('a', 20, '{}')", "{}", []id.Message{}, "b", []id.Message{15, 30, 40}, marks{[]string{"a 20 {}"}, []string{}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			ada, bob := w.person(w.acme, "ada"), w.person(w.acme, "bob")
			w.stream(w.acme, 9001)
			w.exec(`insert into subscriptions (org_id, stream_id, user_id, color, received, read_upto) values ($1, 9001, $2, '#fff', '{[1,)}', `+test.marks+`)`, w.acme.ID, ada)
			if test.topics != "" {
				w.exec(`insert into topic_marks (org_id, user_id, stream_id, topic_key, read_upto, read)
					select $1, $2, 9001, topic, upto, read::int8multirange from (values `+test.topics+`) v (topic, upto, read)`, w.acme.ID, ada)
			}
			w.exec(`insert into unread_again (org_id, user_id, messages) values ($1, $2, '`+test.again+`')`, w.acme.ID, ada)
			for n, topic := range map[id.Message]string{10: "a", 15: "b", 20: "a", 30: "a", 40: "b"} {
				w.messages(w.acme, row{ID: n, Sender: bob, Stream: 9001, Topic: topic})
			}
			w.move(inbox.Moved{FromStream: 9001, FromTopic: "A", ToStream: 9001, ToTopic: test.topic, Messages: test.moved})
			if diff := cmp.Diff(test.unread, list(w.unread(w.acme, ada))); diff != "" {
				t.Errorf("unread (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(test.want, w.marks(ada)); diff != "" {
				t.Errorf("marks (-want +got):\n%s", diff)
			}
		})
	}
}

// After a move to another stream, the accounts that were subscribed to it when the messages were sent have the
// messages, with their previous read state or as read.
func TestMoveMarksToStream(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	both, old, later, only := w.person(w.acme, "both"), w.person(w.acme, "old"), w.person(w.acme, "later"), w.person(w.acme, "only")
	w.stream(w.acme, 9001)
	w.stream(w.acme, 9002)
	w.exec(`insert into subscriptions (org_id, stream_id, user_id, color, received) values ($1, 9001, $2, '#fff', '{[1,)}'), ($1, 9002, $2, '#fff', '{[1,)}'),
		($1, 9001, $3, '#fff', '{[1,)}'), ($1, 9001, $4, '#fff', '{[1,)}'), ($1, 9002, $4, '#fff', '{[100,)}'), ($1, 9002, $5, '#fff', '{[1,)}')`,
		w.acme.ID, both, old, later, only)
	w.exec(`update users set read_upto = 50 where user_id = any ($1)`, []id.User{old, later})
	w.exec(`insert into unread_again (org_id, user_id, messages) select $1, unnest($2::bigint[]), '{[10,11)}'`, w.acme.ID, []id.User{old, later})
	for _, n := range []id.Message{10, 20} {
		w.messages(w.acme, row{ID: n, Sender: only, Stream: 9001, Topic: "a"})
	}
	w.messages(w.acme, row{ID: 30, Sender: later, Stream: 9002, Topic: "b"})
	unread := func(want map[id.User][]id.Message) {
		t.Helper()
		got := map[id.User][]id.Message{}
		for _, u := range []id.User{both, old, later, only} {
			got[u] = list(w.unread(w.acme, u))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("unread (-want +got):\n%s", diff)
		}
	}
	unread(map[id.User][]id.Message{both: {10, 20, 30}, old: {10}, later: {10}, only: {30}})
	w.move(inbox.Moved{FromStream: 9001, FromTopic: "a", ToStream: 9002, ToTopic: "b", Messages: []id.Message{10, 20}})
	unread(map[id.User][]id.Message{both: {10, 20, 30}, old: {}, later: {}, only: {30}})
	// After moving back, accounts that didn't have the messages meanwhile have them as history.
	w.move(inbox.Moved{FromStream: 9002, FromTopic: "b", ToStream: 9001, ToTopic: "a", Messages: []id.Message{10, 20}})
	unread(map[id.User][]id.Message{both: {10, 20, 30}, old: {}, later: {}, only: {30}})
}
