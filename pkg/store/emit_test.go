package store_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/storetest"
)

// Many events are recorded in order, and wake their shard once.
func TestEmitMany(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	org := w.org()
	emit := func(events ...event.Event) error {
		return w.db.Write(t.Context(), org, func(tx *store.Tx) error { return tx.Emit(t.Context(), events...) })
	}
	if err := emit(); err != nil {
		t.Fatal(err)
	}
	if woken := w.waker.woken(); len(woken) > 0 {
		t.Errorf("woken without an event: %v", woken)
	}
	if err := emit(note{"a"}, note{"b"}, note{"c"}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]int{w.db.Shard(org)}, w.waker.woken()); diff != "" {
		t.Errorf("woken (-want +got):\n%s", diff)
	}
	texts := storetest.Values[string](w.session, "select payload::jsonb ->> 'text' from event_log order by id")
	if diff := cmp.Diff([]string{"a", "b", "c"}, texts); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	// A change of later audiences is recorded with its event, and only there.
	if err := emit(note{"d"}, event.SubscriptionRemoved{User: 1, Streams: []event.StreamName{{ID: 2, Name: "x"}}}); err != nil {
		t.Fatal(err)
	}
	changes := storetest.Values[*string](w.session, "select change from event_log order by id desc limit 2")
	if len(changes) != 2 || changes[0] == nil || *changes[0] != `{"unsubscribed":[{"stream":2,"user":1}]}` || changes[1] != nil {
		t.Errorf("changes, the newest first: %v", changes)
	}
}

// Deleted messages of all organizations are destroyed after the retention time.
func TestDestroyDeleted(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for i, age := range []time.Duration{time.Hour, 6 * 24 * time.Hour, 8 * 24 * time.Hour, 1000 * 24 * time.Hour} {
		w.session.Exec("insert into deleted_messages (org_id, message_id, message, deleted_at, deleted_by) values ($1, $2, '{}', now() - $3::interval, 1)",
			w.org(), i, age)
	}
	if err := w.db.DestroyDeleted(t.Context(), 7*24*time.Hour); err != nil {
		t.Fatal(err)
	}
	kept := storetest.Values[int64](w.session, "select message_id from deleted_messages order by 1")
	if diff := cmp.Diff([]int64{0, 1}, kept); diff != "" {
		t.Errorf("kept messages (-want +got):\n%s", diff)
	}
}

// Destroying some of many deleted messages reads only those, and the submessages of no others.
func TestDestroyingManyReadsFew(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	org := w.org()
	w.session.Exec(`insert into deleted_messages (org_id, message_id, message, deleted_at, deleted_by)
		select $1, n, '{}', now() - interval '8 days', 1 from generate_series(1, 10000) n`, org)
	w.session.Exec(`insert into submessages (org_id, message_id, sender_id, msg_type, content)
		select $1, 50 + n % 50 + n / 50 * 5000, 1, 'widget', '{}' from generate_series(0, 4999) n`, org)
	w.session.Exec("analyze deleted_messages, submessages")
	w.session.Exec("begin")
	for range 3 { // 50 submessages of 50 messages are among them
		if got := storetest.Values[int64](w.session, "select destroy_some_deleted_messages('7 days', 100)")[0]; got != 100 {
			t.Errorf("%d rows were destroyed, want 100", got)
		}
	}
	rows := storetest.Values[int64](w.session, `select (seq_tup_read + coalesce(idx_tup_fetch, 0))::bigint from pg_stat_xact_user_tables
		where relname in ('deleted_messages', 'submessages')`)
	for _, n := range rows {
		if n > 2000 {
			t.Errorf("%d rows were read to destroy 300", n)
		}
	}
	left := storetest.Values[int64](w.session, `select count(*) from deleted_messages union all select count(*) from submessages`)
	if diff := cmp.Diff([]int64{9750, 4950}, left); diff != "" {
		t.Errorf("messages and submessages that are left (-want +got):\n%s", diff)
	}
	w.session.Exec("rollback")
}
