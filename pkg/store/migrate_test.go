package store_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/pkg/testbed"
)

// schema returns everything that a migration could change: columns, indexes, constraints, functions, policies,
// permissions.
func schema(session *storetest.Session) []string {
	return storetest.Values[string](session, `
		select 'column ' || table_name || '.' || column_name || ' ' || data_type || coalesce(' ' || column_default, '') || ' ' || is_nullable
			from information_schema.columns where table_schema = 'public'
		union all select indexdef from pg_indexes where schemaname = 'public'
		union all select conrelid::regclass || ' ' || pg_get_constraintdef(oid) from pg_constraint where connamespace = 'public'::regnamespace
		union all select pg_get_functiondef(oid) from pg_proc where pronamespace = 'public'::regnamespace and prokind = 'f'
		union all select 'policy ' || tablename || ' ' || policyname || coalesce(' ' || qual, '') || coalesce(' ' || with_check, '') from pg_policies
		union all select 'rights ' || relname || ' ' || coalesce(relacl::text, '') from pg_class where relnamespace = 'public'::regnamespace
		union all select 'version ' || version_id || ' ' || is_applied from goose_db_version
		order by 1`)
}

// Several replicas that start at the same time migrate once, and a second migration changes nothing.
func TestMigrate(t *testing.T) {
	t.Parallel()
	database := testbed.Postgres(t, func(context.Context, string) error { return nil }, "store nothing")
	empty, err := store.ReadSchema(t.Context(), database.URL)
	needs := empty.Needs
	if err != nil || empty.Has != 0 || needs < 1 {
		t.Fatalf("an empty database: %+v, %v", empty, err)
	}
	if _, err := store.Open(t.Context(), store.Config{URL: database.URL}, &waker{}); err == nil {
		t.Error("a database that isn't migrated was opened")
	}
	type result struct {
		schema store.Schema
		err    error
	}
	results := make(chan result, 3)
	for range cap(results) {
		go func() {
			schema, err := store.Migrate(t.Context(), database.URL)
			results <- result{schema, err}
		}()
	}
	for range cap(results) {
		if r := <-results; r.err != nil || r.schema.Has != needs {
			t.Errorf("schema %+v, %v; want %d", r.schema, r.err, needs)
		}
	}
	session := storetest.Connect(t, database.URL)
	if diff := cmp.Diff(coming(), partitions(session)); diff != "" {
		t.Errorf("partitions of the event log (-want +got):\n%s", diff)
	}
	before := schema(session)
	if again, err := store.Migrate(t.Context(), database.URL); err != nil || again.Has != needs {
		t.Errorf("once more: %+v, %v", again, err)
	}
	if diff := cmp.Diff(before, schema(session)); diff != "" {
		t.Errorf("migrating again changed the schema:\n%s", diff)
	}
	if after, err := store.ReadSchema(t.Context(), database.URL); err != nil || after.Has != needs || after.MinServerVersion == "" {
		t.Errorf("%+v, %v", after, err)
	}
}

// A migration that waits for a long transaction blocks nobody else for long, and is done once that has ended.
func TestMigrateYields(t *testing.T) {
	testbed.Slow(t)
	t.Parallel()
	database := testbed.Postgres(t, func(context.Context, string) error { return nil }, "store nothing")
	if err := store.MigrateTo(t.Context(), database.URL, 33); err != nil {
		t.Fatal(err)
	}
	before := storetest.Connect(t, database.URL)
	before.Exec(`insert into messages (org_id, message_id, sender_id, stream_id, topic, content, rendered, renderer, client)
		values (1, 1, 1, 1, 'lamps', 'List<Valve>', '', 3, ''), (2, 2, 1, 1, 'a <valve>', 'x', '', 3, ''), (2, 3, 1, 1, 'valve', 'x', '', 3, ''),
		(2, 4, 1, 1, 'x', 'see https://valve.example/x', '', 3, ''), (2, 5, 1, 1, E'mu\u0308', E'a vu\u0308lve', '', 3, ''),
		(2, 6, 1, 1, 'x', '北水門', '', 3, ''), (2, 7, 1, 1, 'ABC-123', 'x', '', 3, ''), (2, 8, 1, 1, E'high\r\nwater\u2028mark', 'x', '', 3, '')`)
	before.Exec(`set session_replication_role = replica`) // without the organizations and accounts
	before.Exec(`insert into streams (org_id, stream_id, name) values (1, 1, E'Cafe\u0301'), (1, 2, 'Café'), (2, 1, E'Cafe\u0301'), (2, 2, E'low\ntide')`)
	before.Exec(`insert into muted_topics (org_id, user_id, stream_id, topic) values (1, 1, 1, E'Cafe\u0301'), (1, 1, 1, 'café'), (1, 2, 1, E'Cafe\u0301'),
		(2, 1, 1, E'a\nb'), (2, 1, 1, 'a b'), (2, 2, 1, E'a\nb')`)
	before.Exec(`insert into topic_marks (org_id, user_id, stream_id, topic_key, read_upto)
		values (1, 1, 1, E'cafe\u0301', 7), (1, 1, 1, 'café', 5), (1, 2, 1, E'cafe\u0301', 7), (2, 1, 1, E'a\tb', 7)`)
	dump, watch := storetest.Connect(t, database.URL), storetest.Connect(t, database.URL)
	dump.Exec("begin")
	dump.Exec("lock table streams in access share mode")
	migrated := make(chan error, 1)
	go func() {
		_, err := store.Migrate(t.Context(), database.URL)
		migrated <- err
	}()
	watch.AwaitBlocked(1)
	begin := time.Now()
	watch.Exec("set statement_timeout = '20s'")
	watch.Exec("select from streams")
	if took := time.Since(begin); took > 5*time.Second {
		t.Errorf("a read waited %v", took)
	}
	dump.Exec("commit")
	if err := <-migrated; err != nil {
		t.Error(err)
	}
	// A search finds words in angle brackets and in addresses in messages of before, however their letters are encoded, letters of scripts
	// without blanks, and numbers after letters.
	found := storetest.Values[int64](before, "select message_id from messages where search @@ to_tsquery('english', 'valves | vülve | 門 | 123') order by 1")
	if diff := cmp.Diff([]int64{1, 2, 3, 4, 5, 6, 7}, found); diff != "" {
		t.Errorf("messages of before (-want +got):\n%s", diff)
	}
	// Names have composed letters and one line, unless another one has that name.
	names := storetest.Values[string](before, `select name from (
		select 1 as n, org_id, stream_id as id, name from streams union all select 2, org_id, user_id, topic from muted_topics
		union all select 3, org_id, user_id, topic_key || read_upto from topic_marks union all select 4, org_id, message_id, topic from messages where message_id in (5, 8)
	) all_names order by n, org_id, id`)
	want := []string{
		"Cafe\u0301", "Café", "Café", "low tide", "café", "Café", "a b", "a b", "café5", "café7", "a b7", "mü", "high water mark",
	}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Errorf("names (-want +got):\n%s", diff)
	}
}

func TestBadURL(t *testing.T) {
	t.Parallel()
	const url = "postgres://%zz"
	if _, err := store.Migrate(t.Context(), url); err == nil {
		t.Error("Migrate took it")
	}
	if _, err := store.ReadSchema(t.Context(), url); err == nil {
		t.Error("ReadSchema took it")
	}
	if _, err := store.Open(t.Context(), store.Config{URL: url}, &waker{}); err == nil {
		t.Error("Open took it")
	}
}
