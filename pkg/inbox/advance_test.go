package inbox_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/pkg/testbed"
)

// When all topics are read to their ends, in any order, only the stream's mark is left.
func TestMarksMerge(t *testing.T) {
	testbed.Slow(t)
	t.Parallel()
	w, ada, bob, service := subscribed(t, 30)
	for _, topic := range []string{"t2", "t0"} {
		if err := service.MarkTopic(t.Context(), ada, 9001, topic); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(marks{[]string{"t0 30 {}", "t2 30 {}"}, []string{}}, w.marks(ada.User)); diff != "" {
		t.Errorf("with a topic left (-want +got):\n%s", diff)
	}
	if err := service.MarkTopic(t.Context(), ada, 9001, "t1"); err != nil {
		t.Fatal(err)
	}
	w.at(t, ada.User, 30, marks{[]string{}, []string{}})

	// Messages that are read one by one are merged, too, also across the reader's own.
	w.sendBy(bob, 9)
	for _, m := range []id.Message{36, 33, 39, 31, 34, 37, 38} {
		if err := service.SetFlags(t.Context(), ada, read1(m)); err != nil {
			t.Fatal(err)
		}
	}
	// 31, 34 and 37 are t1, 32, 35 and 38 t2, the others t0; 32 and 35 are left.
	w.at(t, ada.User, 31, marks{[]string{"t0 39 {}", "t1 37 {}", "t2 31 {[36,39)}"}, []string{}})
	if err := service.SetFlags(t.Context(), ada, read1(35, 32)); err != nil {
		t.Fatal(err)
	}
	w.at(t, ada.User, 39, marks{[]string{}, []string{}})
}

// at checks the mark of a user's only subscription and the user's other marks.
func (w *world) at(t *testing.T, u id.User, upto int64, rest marks) {
	t.Helper()
	got := storetest.Values[int64](w.session, `select read_upto from subscriptions where user_id = $1`, u)
	if diff := cmp.Diff([]int64{upto}, got); diff != "" {
		t.Errorf("mark of the stream (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(rest, w.marks(u)); diff != "" {
		t.Errorf("marks (-want +got):\n%s", diff)
	}
}

// A few unread messages don't hold up the mark of a stream with thousands of read ones, because they become
// exceptions. Many unread messages do.
func TestMarksPassFewUnread(t *testing.T) {
	testbed.Slow(t)
	t.Parallel()
	w, ada, bob, service := subscribed(t, 0)
	w.messages(w.acme, row{ID: 1, Sender: bob, Stream: 9001, Topic: "old"})
	w.exec(`select setval('message_ids', 1)`)
	w.sendBy(bob, 5000)
	for _, topic := range []string{"t0", "t1", "t2"} {
		if err := service.MarkTopic(t.Context(), ada, 9001, topic); err != nil {
			t.Fatal(err)
		}
	}
	w.at(t, ada.User, 5001, marks{[]string{}, []string{"{[1,2)}"}})
	if diff := cmp.Diff([]id.Message{1}, list(w.unread(w.acme, ada.User))); diff != "" {
		t.Errorf("unread (-want +got):\n%s", diff)
	}
	w.sendBy(bob, 3000)
	if err := service.MarkTopic(t.Context(), ada, 9001, "t1"); err != nil {
		t.Fatal(err)
	}
	w.at(t, ada.User, 5002, marks{[]string{"t1 8001 {}"}, []string{"{[1,2)}"}})
	if unread := list(w.unread(w.acme, ada.User)); len(unread) != 2001 {
		t.Errorf("%d unread", len(unread))
	}
}

// Marking a message reads few other rows, however many messages are unread before it.
func TestMarkingLooksAtFew(t *testing.T) {
	t.Parallel()
	w, ada, bob, _ := subscribed(t, 4000)
	w.stream(w.acme, 9002)
	w.exec(`insert into subscriptions (org_id, stream_id, user_id, color, received) values ($1, 9002, $2, '#fff', '{[1,)}')`, w.acme.ID, ada.User)
	w.exec(storetest.InsertMessages(`select $1::bigint as org_id, $2::bigint as sender_id, 9002 as stream_id,
		case when n % 60 = 1 then 'unread' else 'read' end as topic from generate_series(1, 4000) n`), w.acme.ID, bob)
	w.exec(`insert into topic_marks (org_id, user_id, stream_id, topic_key, read_upto) values ($1, $2, 9002, 'read', 8000)`, w.acme.ID, ada.User)
	for name, m := range map[string]id.Message{"all before it are unread": 3900, "one in sixty before it is unread": 7781} {
		w.exec("begin; set local role chatserver_service")
		before := w.rowsRead()
		w.exec(`select mark_read(json_populate_record(null::read_request, json_build_object('org', $1::bigint, 'shard', 0, 'reader', $2::bigint,
			'messages', json_build_array($3::bigint), 'payload', '', 'audience', '', 'trace', '', 'look', 50, 'ranges', 1000)))`, w.acme.ID, ada.User, m)
		read := w.rowsRead() - before
		w.exec("rollback")
		if read > 120 {
			t.Errorf("%s: looked at %d messages", name, read)
		}
	}
}

// rowsRead returns the number of messages that the transaction, and the session shortly before it, have read.
func (w *world) rowsRead() (rows int64) {
	w.t.Helper()
	err := w.conn.QueryRow(w.t.Context(), "select seq_tup_read + idx_tup_fetch from pg_stat_xact_user_tables where relname = 'messages'").Scan(&rows)
	if err != nil {
		w.t.Fatal(err)
	}
	return rows
}
