package store_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/pkg/testbed"
)

// partitions returns the names of the event log's partitions, except for the default one.
func partitions(session *storetest.Session) []string {
	return storetest.Values[string](session, `select relname::text from pg_inherits join pg_class on oid = inhrelid
		where inhparent = 'event_log'::regclass and relname <> 'event_log_rest' order by relname`)
}

// coming returns the names of the partitions of the next hours.
func coming() []string {
	names := []string{}
	start := time.Now().UTC().Truncate(6 * time.Hour)
	for i := range 3 {
		names = append(names, "event_log_"+start.Add(time.Duration(i)*6*time.Hour).Format("2006010215"))
	}
	return names
}

// renew makes the partitions of the coming hours, and of no others. An earlier test may have migrated the database, hours ago.
func (w *world) renew() {
	w.t.Helper()
	w.maintain(0)
	if diff := cmp.Diff(coming(), partitions(w.session)); diff != "" {
		w.t.Fatalf("partitions (-want +got):\n%s", diff)
	}
}

func (w *world) maintain(keep time.Duration) {
	w.t.Helper()
	if err := w.db.Log().Maintain(w.t.Context(), keep); err != nil {
		w.t.Fatal(err)
	}
}

func TestMaintain(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.renew()
	org := w.org()
	shard := w.db.Shard(org)
	insert := func(text string, age time.Duration) {
		t.Helper()
		w.session.Exec(`insert into event_log (shard, org_id, type, payload, audience, created_at)
			values ($1, $2, 'note', '{"text":"' || $3::text || '"}', '{}', $4)`, shard, org, text, time.Now().Add(-age))
	}
	w.emit(org, "new")
	insert("old", 30*time.Hour)
	insert("ancient", 1000*time.Hour)
	partition := func(at time.Time) {
		t.Helper()
		from := at.UTC().Truncate(6 * time.Hour)
		w.session.Exec("create table event_log_" + from.Format("2006010215") + " partition of event_log for values from ('" +
			from.Format(time.RFC3339) + "') to ('" + from.Add(6*time.Hour).Format(time.RFC3339) + "')")
	}
	partition(time.Now().Add(-100 * time.Hour))
	partition(time.Now().Add(-50 * time.Hour))
	insert("in a partition", 50*time.Hour)
	w.session.Exec("drop table " + coming()[2])

	w.maintain(72 * time.Hour)
	kept := append([]string{"event_log_" + time.Now().Add(-50*time.Hour).UTC().Truncate(6*time.Hour).Format("2006010215")}, coming()...)
	if diff := cmp.Diff(kept, partitions(w.session)); diff != "" {
		t.Errorf("keeping three days (-want +got):\n%s", diff)
	}
	sorted := func() []string { got := texts(w.read(shard, store.Position{})); slices.Sort(got); return got }
	if diff := cmp.Diff([]string{"in a partition", "new", "old"}, sorted()); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	w.maintain(24 * time.Hour)
	w.maintain(24 * time.Hour)
	if diff := cmp.Diff(coming(), partitions(w.session)); diff != "" {
		t.Errorf("keeping a day (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"new"}, sorted()); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	w.emit(org, "newer")
}

// Rows in the default partition prevent creating the partition of their time, and are still found.
func TestMaintainBesideRowsInTheRest(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.renew()
	org := w.org()
	for _, name := range coming() {
		w.session.Exec("drop table " + name)
	}
	w.emit(org, "in the rest")
	w.maintain(24 * time.Hour)
	if diff := cmp.Diff(coming()[1:], partitions(w.session)); diff != "" {
		t.Errorf("partitions (-want +got):\n%s", diff)
	}
	w.emit(org, "still there")
	if diff := cmp.Diff([]string{"in the rest", "still there"}, texts(w.read(w.db.Shard(org), store.Position{}))); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
}

// While a long read of the log is in progress, maintenance fails instead of blocking writers.
func TestMaintainYields(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.renew()
	org := w.org()
	w.session.Exec("drop table " + coming()[2])
	dump := storetest.Connect(t, w.url)
	dump.Exec("begin")
	dump.Exec("lock table event_log in access share mode")
	failed := make(chan error, 1)
	begin := func() { go func() { failed <- w.db.Log().Maintain(t.Context(), 24*time.Hour) }() }
	fails := func(err error) {
		t.Helper()
		if err == nil || !strings.Contains(err.Error(), "55P03") {
			t.Errorf("maintenance: %v, want that it didn't get its lock", err)
		}
	}
	begin()
	testbed.Until(t, "maintenance waits for its lock", func() bool {
		select {
		case err := <-failed: // it waits for a second, in which this test may not have run
			fails(err)
			begin()
		default:
		}
		return storetest.Values[bool](w.session, "select exists (select from pg_locks where relation = 'event_log'::regclass and not granted)")[0]
	})
	w.emit(org, "a", "b") // it waits for maintenance, which would wait for the dump
	fails(<-failed)
	dump.Exec("commit")
	w.maintain(24 * time.Hour)
	if diff := cmp.Diff(coming(), partitions(w.session)); diff != "" {
		t.Errorf("partitions (-want +got):\n%s", diff)
	}
}

// Only few words wait to be merged into the index of words, so that no message waits for long.
func TestFewWordsWait(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	org := w.org()
	w.session.Exec(storetest.InsertMessages(`select $1::bigint as org_id, $2::bigint as sender_id, $3::bigint as stream_id,
			(select string_agg('word' || n + 100 * i, ' ') from generate_series(1, 100) n) as content
		from generate_series(1, 500) i`), org, w.users(org, 1)[0], w.streams(org, "words")[0])
	if pages := storetest.Values[int64](w.session, "select gin_clean_pending_list('messages_search')")[0]; pages > 80 {
		t.Errorf("words of %d pages wait", pages)
	}
}
