package testbed

import (
	"context"
	"fmt"
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
var databases server

// server is the PostgreSQL server of the tests of a process.
type server struct {
	mu        sync.Mutex
	own       string // URL of the server that the process has started; empty: none yet
	url       string
	conn      *pgx.Conn              // to the server's own database; nil: it isn't connected
	templates map[string]template    // by name
	kept      map[string]Connections // by database
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
	like, name := template{}, ""
	err := databases.do(t.Context(), func(s *server) (err error) {
		if like, err = s.findTemplate(t.Context(), templateName(key), migrate); err != nil {
			return fmt.Errorf("make the template database: %w", err)
		}
		if name, err = take(t.Context(), s.conn, like.name); err != nil {
			return fmt.Errorf("take a database from the pool: %w", err)
		}
		if name == "" {
			name, err = clone(t.Context(), s.conn, like.name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	url := replace(databases.url, name, "")
	t.Cleanup(func() { giveBack(t, name, url, like) })
	return Database{URL: url, Name: name}
}

// do connects to the server, unless it is connected, and calls work.
func (s *server) do(ctx context.Context, work func(s *server) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	url, err := s.find(ctx)
	if err != nil {
		return fmt.Errorf("start PostgreSQL: %w", err)
	}
	if url != s.url && s.conn != nil { // a test uses another server
		_ = s.conn.Close(ctx)
	}
	if url != s.url || s.conn.IsClosed() {
		for _, c := range s.kept { // their databases are anybody's now
			c.Close()
		}
		conn, err := pgx.Connect(ctx, url)
		if err != nil {
			return fmt.Errorf("connect to PostgreSQL: %w", err)
		}
		s.url, s.conn, s.templates, s.kept = url, conn, map[string]template{}, map[string]Connections{}
	}
	return work(s)
}

// find returns the URL of the server that all processes share, or starts one for this process.
func (s *server) find(ctx context.Context) (string, error) {
	if given := os.Getenv(DatabaseVariable); given != "" {
		return given, nil
	}
	if s.own == "" {
		started, err := private.StartPostgres(context.WithoutCancel(ctx), private.Options{})
		if err != nil {
			return "", err
		}
		s.own = started.URL("postgres")
	}
	return s.own, nil
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
