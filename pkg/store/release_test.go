package store_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/pkg/testbed"
)

// TestReleaseBefore migrates the database of the last release to the present schema, and checks that the release goes on working
// meanwhile and afterwards: its processes run until all are replaced, and may come back in a rollback.
func TestReleaseBefore(t *testing.T) {
	testbed.Slow(t)
	t.Parallel()
	database := testbed.Postgres(t, func(context.Context, string) error { return nil }, "store nothing")
	if os.Getenv("RECORD_RELEASE") != "" {
		record(t, database.URL)
		return
	}
	before, statements := readRelease(t)
	if err := store.MigrateTo(t.Context(), database.URL, before.Schema); err != nil {
		t.Fatal(err)
	}
	session := storetest.Connect(t, database.URL)
	columns := columnsOf(session)
	demanded := demands(session, columns)
	for _, version := range migrationsAfter(t, before.Schema) {
		migrateBriefly(t, session, database.URL, version)
	}
	if _, err := store.Migrate(t.Context(), database.URL); err != nil {
		t.Fatal(err)
	}

	// What an insert or update of the release before may break, with the reason why it doesn't.
	allowed := map[string]string{}
	for _, d := range demands(session, columns) {
		if !slices.Contains(demanded, d) && allowed[d.Text] == "" {
			t.Errorf("%s: the release before doesn't know that; if it can't break it, say why in `allowed`", d.Text)
		}
	}
	checkFunctions(t, session, columns)
	conn := preparing(t, database.URL)
	sender(t, database.URL)
	checkSend(t, conn, before.Send)
	for _, s := range statements {
		now := s
		if err := conn.describe(t.Context(), &now); err != nil {
			t.Errorf("the release before can't run this any more: %v\n%s", err, s.SQL)
			continue
		}
		now.Roles = slices.DeleteFunc(now.Roles, func(role string) bool { return !slices.Contains(s.Roles, role) })
		if diff := cmp.Diff(s, now); diff != "" {
			t.Errorf("for the release before, this is another statement now (-before +now):\n%s", diff)
		}
	}
}

// large are tables with so many rows that reading or writing all of them takes minutes.
const large = `array(select relid from unnest(array['messages', 'message_flags', 'event_log', 'subscriptions', 'reactions', 'submessages',
	'deleted_messages', 'attachments', 'attachment_messages', 'files', 'conversations', 'conversation_members']::regclass[]) name,
	lateral (select relid from pg_partition_tree(name) union all select name) tables)`

// migrateBriefly runs a migration, and checks that it holds up no service. A transaction keeps its locks until it ends, and as soon as it
// has written anything, no event after it is delivered. So it reads no large table from end to end, as is done to fill or check a column,
// to write a table again, and to build an index.
func migrateBriefly(t *testing.T, session *storetest.Session, url string, version int64) {
	t.Helper()
	name, text := migration(t, version)
	if strings.Contains(text, "-- +goose no transaction") {
		if problem := unlocked(text); problem != "" {
			t.Errorf("%s: %s", name, problem)
		}
	} else {
		session.Exec(`create or replace function migrates() returns trigger language plpgsql as $$
			declare
				reads text := (select string_agg(relname, ', ') from pg_stat_xact_user_tables
					where relid = any (` + large + `) and seq_scan + coalesce(idx_scan, 0) > 0);
			begin
				if reads is not null then
					raise exception 'it reads all of % in a transaction', reads;
				end if;
				return new;
			end $$`)
		session.Exec("create trigger migrates before insert on goose_db_version for each row execute function migrates()")
	}
	if err := store.MigrateTo(t.Context(), url, version); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	session.Exec("drop trigger if exists migrates on goose_db_version")
	session.Exec("drop function if exists migrates()")
}

var (
	comment = regexp.MustCompile(`(?m)--.*$`)
	body    = regexp.MustCompile(`(?s)\$\$.*?\$\$`)
	// brief are statements that hold no lock for long, outside of a transaction.
	brief = regexp.MustCompile(`^(drop index concurrently if exists|create (unique )?index concurrently|` +
		`reindex (index|table) concurrently|alter table \w+ validate constraint|do) `)
)

// unlocked returns what is wrong with a migration without a transaction; empty: nothing.
func unlocked(text string) string {
	statements := []string(nil)
	for s := range strings.SplitSeq(body.ReplaceAllString(comment.ReplaceAllString(text, ""), "$$$$"), ";") {
		if s = strings.Join(strings.Fields(s), " "); s != "" {
			statements = append(statements, s)
		}
	}
	last := len(statements) - 1
	if last < 1 || statements[0] != "set lock_timeout = 0" || statements[last] != "reset lock_timeout" {
		return "without a transaction, it begins with `set lock_timeout = 0` and ends with `reset lock_timeout`: see docs/decisions/0003-data.md"
	}
	for _, s := range statements[1:last] {
		if !brief.MatchString(s) {
			return fmt.Sprintf("`%s` belongs in a migration with a transaction", s)
		}
	}
	return ""
}

// demand is what inserts and updates of a table must comply with.
type demand struct{ Text, Table string }

// demands returns the demands of the tables that have these columns. A column with a default demands nothing if it is new.
func demands(session *storetest.Session, columns map[string]string) (found []demand) {
	for _, d := range storetest.Rows[demand](session, `
		select table_name || '.' || column_name || ' must be given', table_name from information_schema.columns
			where table_schema = 'public' and is_nullable = 'NO' and column_default is null and is_identity = 'NO' and is_generated = 'NEVER'
		union all select table_name || '.' || column_name || ' may not be null', table_name from information_schema.columns
			where table_schema = 'public' and is_nullable = 'NO' and column_default is not null
				and column_name = any (string_to_array($1::jsonb ->> table_name, ' '))
		union all select conrelid::regclass || ' ' || pg_get_constraintdef(oid), conrelid::regclass::text from pg_constraint
			where connamespace = 'public'::regnamespace and conrelid > 0 and contype <> 'n'
		union all select indexdef, tablename from pg_indexes where schemaname = 'public' and indexdef like 'CREATE UNIQUE%'`, columns) {
		if columns[d.Table] != "" {
			found = append(found, d)
		}
	}
	return found
}

// columnsOf returns the columns of each table, separated by spaces.
func columnsOf(session *storetest.Session) map[string]string {
	columns := map[string]string{}
	for _, row := range storetest.Rows[struct{ Table, Columns string }](session,
		`select table_name, string_agg(column_name, ' ') from information_schema.columns where table_schema = 'public' group by 1`) {
		columns[row.Table] = row.Columns
	}
	return columns
}

// checkFunctions checks that no function names a column that is gone. PostgreSQL notices that only when it is called.
func checkFunctions(t *testing.T, session *storetest.Session, columns map[string]string) {
	t.Helper()
	now := columnsOf(session)
	for table, names := range columns {
		for name := range strings.FieldsSeq(names) {
			if slices.Contains(strings.Fields(now[table]), name) {
				continue
			}
			for _, function := range storetest.Values[string](session, `select proname from pg_proc
				where pronamespace = 'public'::regnamespace and prosrc ~ ('\m' || $1 || '\M')`, name) {
				t.Errorf("%s.%s is gone, and the function %s names it", table, name, function)
			}
		}
	}
}

// migrationsAfter returns the versions of the migrations after one.
func migrationsAfter(t *testing.T, version int64) (after []int64) {
	t.Helper()
	names, err := filepath.Glob("migration/*.sql")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		number, err := strconv.ParseInt(filepath.Base(name)[:5], 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		if number > version {
			after = append(after, number)
		}
	}
	return after
}

// migration returns a migration's file.
func migration(t *testing.T, version int64) (name, text string) {
	t.Helper()
	names, err := filepath.Glob(fmt.Sprintf("migration/%05d_*.sql", version))
	if err != nil || len(names) != 1 {
		t.Fatalf("the files of migration %d are %v, %v", version, names, err)
	}
	content, err := os.ReadFile(names[0])
	if err != nil {
		t.Fatal(err)
	}
	return names[0], string(content)
}
