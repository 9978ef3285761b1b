package testbed

import (
	"context"
	"net/url"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"chatserver.dev/pkg/private"
)

// DatabaseVariable names the environment variable with the URL of a PostgreSQL server, as a superuser,
// that all test processes share. Without it each process starts a server of its own.
const DatabaseVariable = "TESTBED_DATABASE_URL"

// patience bounds what is done with a database before and after a test.
const patience = time.Minute

// Database is one test's own database.
type Database struct {
	// URL connects to it as a superuser. All roles may connect without a password.
	URL string
	// Name is the database's name on its server.
	Name string
}

// As is the URL of the database for another role, which the migration must have made.
func (d Database) As(role string) string { return replace(d.URL, "", role) }

//nolint:gochecknoglobals // one server for the tests of a process.
var shared struct {
	mu  sync.Mutex
	url string
}

// Postgres returns a database for the test alone, as migrate leaves an empty one. The key names the
// template: tests that pass the same key share it, in all processes that share the server, and
// migrate runs once for it; so the key has to change with what migrate does (a process that started
// its own server need not care). Roles are the server's, not the database's: migrate must cope with
// those that exist.
//
// A database is used by one test after the other. When a test ends, its database is emptied and compared
// with a new one. It is dropped if there is a difference or if a connection is left open.
func Postgres(t testing.TB, migrate func(ctx context.Context, url string) error, key string) Database {
	t.Helper()
	ctx := t.Context()
	server, err := serverURL(ctx)
	if err != nil {
		t.Fatalf("start PostgreSQL: %v", err)
	}
	conn, err := pgx.Connect(ctx, server)
	if err != nil {
		t.Fatalf("connect to PostgreSQL: %v", err)
	}
	defer conn.Close(ctx) //nolint:errcheck // nothing is left to be said to the server.

	like, err := findTemplate(ctx, conn, server, templateName(key), migrate)
	if err != nil {
		t.Fatalf("make the template database: %v", err)
	}
	name, err := take(ctx, conn, like.name)
	if err != nil {
		t.Fatalf("take a database from the pool: %v", err)
	}
	if name == "" {
		if name, err = clone(ctx, conn, like.name); err != nil {
			t.Fatalf("clone the template database: %v", err)
		}
	}
	t.Cleanup(func() { giveBack(t, server, name, like) })
	return Database{URL: replace(server, name, ""), Name: name}
}

// serverURL returns the URL of the shared server, or starts one for the process.
func serverURL(ctx context.Context) (string, error) {
	if given := os.Getenv(DatabaseVariable); given != "" {
		return given, nil
	}
	shared.mu.Lock()
	defer shared.mu.Unlock()
	if shared.url != "" {
		return shared.url, nil
	}
	server, err := private.StartPostgres(context.WithoutCancel(ctx), private.Options{})
	if err != nil {
		return "", err
	}
	shared.url = server.URL("postgres")
	return shared.url, nil
}

// replace returns the URL with another database or another role, if they are set.
func replace(server, database, role string) string {
	parsed, err := url.Parse(server)
	if err != nil {
		return server // not a URL: the connection will fail and say so
	}
	if database != "" {
		parsed.Path = "/" + database
	}
	if role != "" {
		query := parsed.Query()
		query.Del("password")
		query.Set("user", role)
		parsed.RawQuery = query.Encode()
		parsed.User = nil
	}
	return parsed.String()
}
