package isolation_test

import (
	"context"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"chatserver.dev/pkg/localserver"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/pkg/testbed"
)

// A database in which a test has filled every table is emptied for the next test. Then it doesn't differ from an unused
// one, except for a page or two of its indexes.
func TestDatabaseIsUsedAgain(t *testing.T) { //nolint:paralleltest // it sets the server that tests share.
	testbed.Slow(t)
	server, err := localserver.StartPostgres(context.WithoutCancel(t.Context()), localserver.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Stop() })
	t.Setenv(testbed.DatabaseVariable, server.URL("postgres"))

	used := ""
	t.Run("fill", func(t *testing.T) {
		w := newWorld(t)
		used = w.DatabaseURL
		for _, table := range storetest.Values[string](w.db, `select relname::text from pg_class
			where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition`) {
			if rows := storetest.Values[int](w.db, `select count(*)::int from "`+table+`"`)[0]; rows == 0 {
				t.Errorf("%s is empty", table)
			}
		}
	})
	_, again := storetest.OpenURL(t)
	if again != used {
		t.Fatalf("%s wasn't used again, but %s", used, again)
	}
	_, fresh := storetest.OpenURL(t)
	if diff := cmp.Diff(dump(t, server, fresh), dump(t, server, again)); diff != "" {
		t.Errorf("a new database and one that was used (-new +used):\n%s", diff)
	}
	if diff := cmp.Diff(planning(t, fresh), planning(t, again)); diff != "" {
		t.Errorf("statistics for plans, in a new database and in a used one (-new +used):\n%s", diff)
	}
}

// dump returns the output of pg_dump for a database: its schema, rows, sequences and settings.
func dump(t *testing.T, server *localserver.Postgres, url string) []string {
	t.Helper()
	name := storetest.Values[string](storetest.Connect(t, url), "select current_database()::text")[0]
	out, err := exec.CommandContext(t.Context(), filepath.Join(server.BinDir(), "pg_dump"), "--create", "--inserts", url).Output()
	if err != nil {
		t.Fatalf("pg_dump: %v", err)
	}
	// Each dump contains a random word.
	text := regexp.MustCompile(`(?m)^\\(un)?restrict .*$`).ReplaceAllString(string(out), "")
	return strings.Split(strings.ReplaceAll(text, name, "DATABASE"), "\n")
}

// planning returns PostgreSQL's statistics of the tables' rows.
func planning(t *testing.T, url string) []string {
	t.Helper()
	return storetest.Values[string](storetest.Connect(t, url), `
		select relname || ' ' || reltuples || ' ' || relpages || ' ' || pg_relation_size(oid) from pg_class where oid >= 16384 and relkind in ('r', 't')
		union all select relname || ' ' || greatest(pg_relation_size(oid), 3 * 8192) from pg_class where oid >= 16384 and relkind = 'i'
		union all select starelid::regclass || ' ' || staattnum from pg_statistic where starelid >= 16384
		order by 1`)
}
