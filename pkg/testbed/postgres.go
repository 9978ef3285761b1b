package testbed

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"chatserver.dev/pkg/private"
)

// DatabaseVariable names the environment variable with the URL of a PostgreSQL server, as a superuser,
// that all test processes share. Without it each process starts a server of its own.
const DatabaseVariable = "TESTBED_DATABASE_URL"

// templateLock is the advisory lock under which templates are made.
const templateLock = 7_305_001

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

// Postgres gives the test a fresh database, a clone of the template that migrate filled. The key names
// the template: tests that give the same key share it, in all processes that share the server, and
// migrate runs once for it, on an empty database; so the key has to change with what migrate does
// (a process that started its own server need not care). Roles are the server's, not the database's:
// migrate must cope with those that exist. The database goes when the test ends, with open connections.
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

	template := templateName(key)
	if err := makeTemplate(ctx, conn, server, template, migrate); err != nil {
		t.Fatalf("make the template database: %v", err)
	}
	name, err := clone(ctx, conn, template)
	if err != nil {
		t.Fatalf("clone the template database: %v", err)
	}
	t.Cleanup(func() { drop(t, server, name) })
	return Database{URL: replace(server, name, ""), Name: name}
}

// serverURL gives the shared server, or starts the process's own, which ends with the process.
func serverURL(ctx context.Context) (string, error) {
	shared.mu.Lock()
	defer shared.mu.Unlock()
	if shared.url != "" {
		return shared.url, nil
	}
	if given := os.Getenv(DatabaseVariable); given != "" {
		shared.url = given
		return given, nil
	}
	server, err := private.StartPostgres(context.WithoutCancel(ctx), private.Options{})
	if err != nil {
		return "", err
	}
	shared.url = server.URL("postgres")
	return shared.url, nil
}

// templateName is a name that PostgreSQL takes, whatever the key: readable at the front, unique by the
// sum at the end.
func templateName(key string) string {
	sum := fnv.New64a()
	_, _ = sum.Write([]byte(key)) // a hash never fails
	readable := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return '_'
	}, strings.ToLower(key))
	return fmt.Sprintf("template_%.30s_%016x", readable, sum.Sum64())
}

// makeTemplate makes and migrates the template unless it is there. It appears under its name once it is
// complete, and only one test in all processes works on it.
func makeTemplate(
	ctx context.Context, conn *pgx.Conn, server, template string, migrate func(ctx context.Context, url string) error,
) (err error) {
	if done, err := exists(ctx, conn, template); err != nil || done {
		return err
	}
	if _, err := conn.Exec(ctx, "select pg_advisory_lock($1)", templateLock); err != nil {
		return err
	}
	defer func() {
		_, unlock := conn.Exec(ctx, "select pg_advisory_unlock($1)", templateLock)
		err = errors.Join(err, unlock)
	}()
	if done, err := exists(ctx, conn, template); err != nil || done {
		return err
	}
	draft := template + "_draft"
	for _, sql := range []string{"drop database if exists " + draft + " with (force)", "create database " + draft} {
		if _, err := conn.Exec(ctx, sql); err != nil {
			return err
		}
	}
	if err := migrate(ctx, replace(server, draft, "")); err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	// A database with connections can neither be renamed nor cloned.
	_, err = conn.Exec(ctx, "select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = $1", draft)
	if err != nil {
		return err
	}
	for _, sql := range []string{
		"alter database " + draft + " with allow_connections false",
		"alter database " + draft + " rename to " + template,
	} {
		if _, err := conn.Exec(ctx, sql); err != nil {
			return err
		}
	}
	return nil
}

func exists(ctx context.Context, conn *pgx.Conn, name string) (bool, error) {
	var found bool
	err := conn.QueryRow(ctx, "select exists (select from pg_database where datname = $1)", name).Scan(&found)
	return found, err
}

// clone copies the template under a new name.
func clone(ctx context.Context, conn *pgx.Conn, template string) (string, error) {
	var name string
	err := conn.QueryRow(ctx, "select 'test_' || replace(gen_random_uuid()::text, '-', '')").Scan(&name)
	if err != nil {
		return "", err
	}
	_, err = conn.Exec(ctx, "create database "+name+" template "+template+" strategy file_copy")
	return name, err
}

func drop(t testing.TB, server, name string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), time.Minute)
	defer cancel()
	conn, err := pgx.Connect(ctx, server)
	if err != nil {
		t.Errorf("connect to PostgreSQL: %v", err)
		return
	}
	defer conn.Close(ctx) //nolint:errcheck // nothing is left to be said to the server.
	if _, err := conn.Exec(ctx, "drop database "+name+" with (force)"); err != nil {
		t.Errorf("drop the test's database: %v", err)
	}
}

// replace gives the URL with another database or another role, where one is given.
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
