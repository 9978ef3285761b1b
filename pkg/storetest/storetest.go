package storetest

import (
	"context"
	"hash/fnv"
	"io/fs"
	"strconv"
	"testing"
	"time"

	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/testbed"
)

// Shards is how many shards the event log of [Open]'s databases has.
const Shards = 16

// Logins are those that [Open]'s databases have. They need no password, and all tests of a server share them.
func Logins() store.Logins {
	return store.Logins{ServiceUser: "test_service", EverywhereUser: "test_everywhere"}
}

// waker is nobody to wake: tests read the event log themselves.
type waker struct{}

func (waker) Wake(int) {}

// Open returns an empty, migrated database that nobody else uses as long as the test lasts.
func Open(t testing.TB) *store.DB {
	t.Helper()
	db, _ := OpenURL(t)
	return db
}

// OpenURL is Open for tests that also connect by themselves: url is a superuser's.
func OpenURL(t testing.TB) (db *store.DB, url string) {
	t.Helper()
	return OpenWaking(t, waker{})
}

// OpenWaking is OpenURL for tests that have somebody to wake.
func OpenWaking(t testing.TB, waker store.Waker) (db *store.DB, url string) {
	t.Helper()
	migrate := func(ctx context.Context, url string) error {
		if _, err := store.Migrate(ctx, url); err != nil {
			return err
		}
		return store.MakeLogins(ctx, url, Logins())
	}
	sum, err := schemaSum()
	if err != nil {
		t.Fatalf("read the migrations: %v", err)
	}
	database := testbed.Postgres(t, migrate, "storetest "+sum)
	db, err = store.Open(t.Context(), store.Config{
		URL: database.URL, Logins: Logins(), Connections: 8, StatementTimeout: 0, IdleTimeout: 0,
		AnswerTimeout: 20 * time.Second, // machines of tests are slow at times
	}, waker)
	if err != nil {
		t.Fatalf("open database: %v", err)
	}
	t.Cleanup(db.Close)
	return db, database.URL
}

// schemaSum changes with each change of a migration.
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
