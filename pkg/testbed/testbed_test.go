package testbed_test

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/redis/go-redis/v9"

	"chatserver.dev/pkg/testbed"
)

func run(ctx context.Context, url, sql string) error {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	_, err = conn.Exec(ctx, sql)
	return err
}

// TestPostgres opens many databases at once. Each has the migrated table without rows, and the migration has run
// once.
func TestPostgres(t *testing.T) {
	t.Parallel()
	var migrations atomic.Int32
	migrate := func(ctx context.Context, url string) error {
		migrations.Add(1)
		return run(ctx, url, "create table thing (id int)")
	}
	key := "TestPostgres " + strconv.Itoa(os.Getpid())
	t.Run("all", func(t *testing.T) {
		t.Parallel()
		for range 8 {
			t.Run("one", func(t *testing.T) {
				t.Parallel()
				db := testbed.Postgres(t, migrate, key)
				conn, err := pgx.Connect(t.Context(), db.URL)
				if err != nil {
					t.Fatal(err)
				}
				// Left open, because cleaning up must handle that.
				var name string
				var count int
				err = conn.QueryRow(t.Context(), "select current_database()::text, count(*) from thing").Scan(&name, &count)
				if err != nil {
					t.Fatal(err)
				}
				if name != db.Name || count != 0 {
					t.Errorf("got %d things in %s, want none in %s", count, name, db.Name)
				}
				if _, err := conn.Exec(t.Context(), "insert into thing values (1)"); err != nil {
					t.Fatal(err)
				}
			})
		}
	})
	t.Cleanup(func() {
		if n := migrations.Load(); n != 1 {
			t.Errorf("migrated %d times", n)
		}
	})
}

// What tests do with their database, and whether the next test gets the same one. It is like a new one in any case.
func TestPostgresIsUsedAgain(t *testing.T) {
	testbed.Slow(t)
	t.Parallel()
	migrate := func(ctx context.Context, url string) error {
		return run(ctx, url, `create table kind (id int generated always as identity, name text);
			insert into kind (name) values ('tree');
			create table thing (id int generated always as identity, kind text) partition by list (kind);
			create table thing_rest partition of thing default;
			create table owner (thing int);
			create sequence number`)
	}
	key := "TestPostgresIsUsedAgain " + strconv.Itoa(os.Getpid())
	for _, test := range []struct {
		name, sql string
		again     bool
	}{
		{"nothing", "", true},
		{"rows", "insert into thing (kind) select 'a' from generate_series(1, 1000); insert into owner values (1)", true},
		{"many rows", "insert into owner select generate_series(1, 100000)", true},
		{"rows that are gone", "insert into owner select generate_series(1, 1000); delete from owner", true},
		{"sequence", "select nextval('number')", true},
		{"partition", "create table thing_b partition of thing for values in ('b'); insert into thing (kind) values ('b')", true},
		{"table", "create table note (id serial primary key)", true},
		{"plans", "insert into owner select generate_series(1, 1000); analyze", true},
		{"plans of the migration's rows", "analyze kind", true},
		{"row of the migration", "update kind set name = 'bush'", false},
		{"further row", "insert into kind (name) values ('bush')", false},
		{"table is gone", "drop table owner", false},
		{"column", "alter table owner add name text", false},
		{"function", "create function f() returns int language sql as 'select 1'", false},
		{"trigger", "create function g() returns trigger language plpgsql as 'begin return null; end'; create trigger g before insert on owner execute function g()", false},
		{"constraint", "alter table owner add constraint full_disk check (false) not valid", false},
		{"rights", "grant select on owner to public", false},
		{"policy", "alter table owner enable row level security", false},
		{"schema", "create schema mine", false},
		{"setting", "do $$ begin execute 'alter database ' || current_database() || ' set work_mem = 64'; end $$", false},
	} {
		var used testbed.Database
		t.Run(test.name, func(t *testing.T) {
			used = testbed.Postgres(t, migrate, key)
			if err := run(t.Context(), used.URL, test.sql); err != nil {
				t.Fatal(err)
			}
		})
		t.Run("after "+test.name, func(t *testing.T) {
			next := testbed.Postgres(t, migrate, key)
			if (next.Name == used.Name) != test.again {
				t.Errorf("%s follows %s", next.Name, used.Name)
			}
			if err := run(t.Context(), used.URL, ""); (err == nil) != test.again {
				t.Errorf("the one that was used: %v", err)
			}
			conn, err := pgx.Connect(t.Context(), next.URL)
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close(t.Context())
			var got string
			err = conn.QueryRow(t.Context(), `select format('%s, %s things, %s owners, %s tables, number %s', (select string_agg(kind::text, ' ') from kind),
				(select count(*) from thing), (select count(*) from owner), (select count(*) from pg_tables where schemaname = 'public'), nextval('number'))`).Scan(&got)
			if want := "(1,tree), 0 things, 0 owners, 4 tables, number 1"; err != nil || got != want {
				t.Errorf("got %q, %v; want %q", got, err, want)
			}
		})
	}
}

// A copy of the template is used again even if autovacuum has analyzed the template since it was made.
func TestPostgresOfAnalyzedTemplate(t *testing.T) {
	testbed.Slow(t)
	t.Parallel()
	migrate := func(ctx context.Context, url string) error {
		return run(ctx, url, "create table kind (name text); insert into kind select generate_series(1, 100)")
	}
	key := "analyzed " + strconv.Itoa(os.Getpid())
	held := testbed.Postgres(t, migrate, key)
	conn, err := pgx.Connect(t.Context(), held.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	template := ""
	if err := conn.QueryRow(t.Context(), "select datname::text from pg_database where datname like $1", "template_analyzed_"+strconv.Itoa(os.Getpid())+"_%").Scan(&template); err != nil {
		t.Fatal(err)
	}
	for _, step := range [][2]string{
		{held.Name, "alter database " + template + " allow_connections true"},
		{template, "analyze kind"},
		{held.Name, "alter database " + template + " allow_connections false"},
	} {
		if err := run(t.Context(), strings.Replace(held.URL, held.Name, step[0], 1), step[1]); err != nil {
			t.Fatalf("%s: %v", step[1], err)
		}
	}
	var used testbed.Database
	t.Run("copy", func(t *testing.T) { used = testbed.Postgres(t, migrate, key) })
	if next := testbed.Postgres(t, migrate, key); next.Name != used.Name {
		t.Error("the copy isn't used again")
	}
}

// A connection that a test leaves open, or its transaction, is ended, and the database isn't reused.
func TestPostgresLeftOpen(t *testing.T) {
	testbed.Slow(t)
	t.Parallel()
	migrate := func(context.Context, string) error { return nil }
	key := "TestPostgresLeftOpen " + strconv.Itoa(os.Getpid())
	var used testbed.Database
	var conn *pgx.Conn
	t.Run("left", func(t *testing.T) {
		used = testbed.Postgres(t, migrate, key)
		var err error
		if conn, err = pgx.Connect(t.Context(), used.URL); err != nil {
			t.Fatal(err)
		}
	})
	if next := testbed.Postgres(t, migrate, key); next.Name == used.Name {
		t.Error("a database with a connection was reused by another test")
	}
	if err := conn.Ping(t.Context()); err == nil {
		t.Error("the connection is open")
	}
}

// connection is a connection that stays open between tests.
type connection struct {
	*pgx.Conn

	used bool
}

func (c *connection) Idle() int {
	if c.used || c.IsClosed() {
		return 0
	}
	return 1
}

func (c *connection) Close() { _ = c.Conn.Close(context.Background()) }

// The next test gets connections that a test keeps, unless they are in use when the test ends, or the database isn't
// reused.
func TestKept(t *testing.T) {
	testbed.Slow(t)
	t.Parallel()
	migrate := func(ctx context.Context, url string) error { return run(ctx, url, "create table thing (id int)") }
	for name, test := range map[string]struct {
		kept, other string // statements of this connection and of another one
		used        bool
		again       bool
	}{
		"rows":        {kept: "insert into thing values (1)", other: "insert into thing values (2)", again: true},
		"schema":      {kept: "insert into thing values (1)", other: "create function f() returns int language sql as 'select 1'"},
		"transaction": {kept: "begin"},
		"in use":      {used: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			key := "TestKept " + name + strconv.Itoa(os.Getpid())
			c := &connection{used: test.used}
			t.Run("first", func(t *testing.T) {
				db := testbed.Postgres(t, migrate, key)
				if kept := db.Kept(); kept != nil {
					t.Errorf("%v is kept", kept)
				}
				var err error
				if c.Conn, err = pgx.Connect(t.Context(), db.URL); err != nil {
					t.Fatal(err)
				}
				db.Keep(c)
				if _, err := c.Exec(t.Context(), test.kept); err != nil {
					t.Fatal(err)
				}
				if err := run(t.Context(), db.URL, test.other); err != nil {
					t.Fatal(err)
				}
			})
			kept := testbed.Postgres(t, migrate, key).Kept()
			if (kept == testbed.Connections(c)) != test.again || c.IsClosed() == test.again {
				t.Errorf("%v is kept; closed: %v", kept, c.IsClosed())
			}
		})
	}
}

func TestDatabaseAs(t *testing.T) {
	t.Parallel()
	db := testbed.Postgres(t, func(context.Context, string) error { return nil }, "empty")
	role := "plain_" + db.Name
	if err := run(t.Context(), db.URL, "create role "+role+" login"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := run(context.WithoutCancel(t.Context()), db.URL, "drop role "+role); err != nil {
			t.Error(err)
		}
	})
	conn, err := pgx.Connect(t.Context(), db.As(role))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	var user, name string
	if err := conn.QueryRow(t.Context(), "select current_user::text, current_database()::text").Scan(&user, &name); err != nil {
		t.Fatal(err)
	}
	if user != role || name != db.Name {
		t.Errorf("connected as %s to %s", user, name)
	}
}

func client(t *testing.T, url string) *redis.Client {
	t.Helper()
	options, err := redis.ParseURL(url)
	if err != nil {
		t.Fatal(err)
	}
	c := redis.NewClient(options)
	t.Cleanup(func() { c.Close() })
	return c
}

// TestRedis uses two servers at a time, and then the same ones again. None contains another test's data.
func TestRedis(t *testing.T) {
	t.Parallel()
	one, two := testbed.Redis(t), testbed.Redis(t)
	if one == two {
		t.Fatal("two tests got the same server")
	}
	for range 3 {
		t.Run("empty", func(t *testing.T) {
			c := client(t, testbed.Redis(t))
			if n, err := c.DBSize(t.Context()).Result(); err != nil || n != 0 {
				t.Errorf("got %d keys, %v", n, err)
			}
			if err := c.Set(t.Context(), "key", "value", 0).Err(); err != nil {
				t.Fatal(err)
			}
		})
	}
}

func TestClock(t *testing.T) {
	t.Parallel()
	start := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	clock := testbed.NewClock(start)
	if got := clock.Now(); !got.Equal(start) {
		t.Errorf("starts at %v", got)
	}
	clock.Advance(time.Minute)
	if got := clock.Now().Sub(start); got != time.Minute {
		t.Errorf("moved by %v", got)
	}
	clock.Set(start)
	if got := clock.Now(); !got.Equal(start) {
		t.Errorf("set to %v", got)
	}
}

func TestLoggerAfterTest(t *testing.T) {
	t.Parallel()
	log := testbed.Logger(t)
	t.Run("ended", func(t *testing.T) { log = testbed.Logger(t) })
	// The test's own output would panic.
	log.Info("too late")
}

// recorder is a test that records its failure.
type recorder struct {
	testing.TB
	failed bool
}

func (r *recorder) Errorf(string, ...any) { r.failed = true }
func (r *recorder) Helper()               {}

func TestGolden(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.Mkdir("testdata", 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join("testdata", "page.txt"), []byte("hello\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name, file, got string
		failed          bool
	}{
		{"same", "page.txt", "hello\n", false},
		{"different", "page.txt", "goodbye\n", true},
		{"absent", "none.txt", "hello\n", true},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := &recorder{TB: t}
			testbed.Golden(r, test.file, []byte(test.got))
			if r.failed != test.failed {
				t.Errorf("failed is %v, want %v", r.failed, test.failed)
			}
		})
	}
}
