package testbed_test

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
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

// TestPostgres gives many tests databases at once: each has the migrated table, empty, and the
// migration ran once.
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
				// Left open: cleaning up must cope.
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

func TestPostgresIsDropped(t *testing.T) {
	t.Parallel()
	migrate := func(context.Context, string) error { return nil }
	var gone testbed.Database
	t.Run("before", func(t *testing.T) { gone = testbed.Postgres(t, migrate, "empty") })
	if err := run(t.Context(), gone.URL, "select 1"); err == nil {
		t.Error("database of a test that has ended is there")
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

// TestRedis uses two servers at a time, and one after the other: none has what another test wrote.
func TestRedis(t *testing.T) {
	t.Parallel()
	one, two := testbed.Redis(t), testbed.Redis(t)
	if one == two {
		t.Fatal("one server was given twice")
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

// recorder is a test whose failure is looked at.
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
