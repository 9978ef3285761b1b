package storetest

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/testbed"
)

// Shards is the number of shards in the event log of [Open]'s databases. It is less than a new database has, because a server that
// starts reads each shard, and most tests start one.
const Shards = 4

// Logins returns the logins of [Open]'s databases. They need no password, and all tests of a server share them.
func Logins() store.Logins {
	return store.Logins{ServiceUser: "test_service", EverywhereUser: "test_everywhere"}
}

// Open returns an empty, migrated database for exclusive use until the test ends. The test need not close it.
func Open(t testing.TB) *store.DB {
	t.Helper()
	db, _ := OpenURL(t)
	return db
}

// OpenURL is like Open, for tests that also make their own connections: url is that of a superuser.
func OpenURL(t testing.TB) (db *store.DB, url string) {
	t.Helper()
	return OpenWaking(t, nil)
}

// OpenWaking is like OpenURL, for tests with a waker; nil: they read the event log themselves.
func OpenWaking(t testing.TB, waker store.Waker) (db *store.DB, url string) {
	t.Helper()
	migrate := func(ctx context.Context, url string) error {
		if _, err := store.Migrate(ctx, url); err != nil {
			return err
		}
		if err := setShards(ctx, url); err != nil {
			return err
		}
		return store.MakeLogins(ctx, url, Logins())
	}
	sum, err := schemaSum()
	if err != nil {
		t.Fatalf("read the migrations: %v", err)
	}
	database := testbed.Postgres(t, migrate, fmt.Sprintf("storetest %d %s", Shards, sum))
	opened, _ := database.Kept().(*kept)
	if opened == nil || opened.Ping(t.Context()) != nil { // a test may have closed it
		if opened, err = open(t.Context(), database.URL); err != nil {
			t.Fatalf("open database: %v", err)
		}
		database.Keep(opened)
	}
	if waker != nil {
		opened.waker.Store(&waker)
	}
	t.Cleanup(func() { opened.waker.Store(nil) })
	return opened.DB, database.URL
}

func setShards(ctx context.Context, url string) error {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	_, err = conn.Exec(ctx, "update installation set shards = $1", Shards)
	return errors.Join(err, conn.Close(ctx))
}

// kept is a database that stays open for the next test.
type kept struct {
	*store.DB

	waker atomic.Pointer[store.Waker] // of the current test; nil: it has none
}

func open(ctx context.Context, url string) (*kept, error) {
	k := &kept{}
	db, err := store.Open(context.WithoutCancel(ctx), store.Config{
		URL: url, Logins: Logins(), Connections: 8, StatementTimeout: 0, IdleTimeout: 0,
		AnswerTimeout: 20 * time.Second, // test machines may be slow
	}, k)
	k.DB = db
	return k, err
}

// Wake implements store.Waker.
func (k *kept) Wake(shard int) {
	if waker := k.waker.Load(); waker != nil {
		(*waker).Wake(shard)
	}
}

// Idle implements testbed.Connections.
func (k *kept) Idle() (idle int) {
	for _, pool := range k.Connections() {
		idle += pool.Idle
	}
	return idle
}

// schemaSum returns a hash of all migrations.
func schemaSum() (string, error) {
	sum := fnv.New64a()
	err := fs.WalkDir(store.Migrations(), ".", func(path string, file fs.DirEntry, err error) error {
		if err != nil || file.IsDir() {
			return err
		}
		text, err := fs.ReadFile(store.Migrations(), path)
		_, _ = sum.Write(text) // a hash never fails
		return err
	})
	return strconv.FormatUint(sum.Sum64(), 16), err
}
