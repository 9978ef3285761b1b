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

	"chatserver.dev/pkg/localserver"
)

// DatabaseVariable is the name of the environment variable with the URL of a PostgreSQL server, as a superuser, that
// all test processes share. Without it, each process starts its own server.
const DatabaseVariable = "TESTBED_DATABASE_URL"

// databaseTimeout is the time limit for preparing or emptying a database.
const databaseTimeout = time.Minute

// Database is the database of one test.
type Database struct {
	// URL is the URL for a superuser. All roles may connect without a password.
	URL string
	// Name is the database's name on its server.
	Name string
}

// As returns the URL of the database for another role, which the migration must have created.
func (d Database) As(role string) string { return replace(d.URL, "", role) }

//nolint:gochecknoglobals // one server for the tests of a process.
var databases server

// server is the PostgreSQL server for the tests of a process.
type server struct {
	mu        sync.Mutex
	own       string // URL of the server that the process has started; empty: none
	url       string
	conn      *pgx.Conn              // to the server's own database; nil: none
	templates map[string]template    // by name
	kept      map[string]Connections // by database
	emptying  map[string]*pgx.Conn   // connections that empty databases, by database
}

// Postgres returns a database for one test, in the state in which migrate leaves an empty one. The key identifies the
// template: tests with the same key share it, in all processes that share the server, and migrate runs once for it.
// Therefore the key must change when the effect of migrate does, except in a process with its own server. Roles
// belong to the server, not to the database, so migrate must handle existing ones.
//
// Databases are reused. When a test ends, its database is emptied and compared with a new one. It is dropped if there
// is a difference or if a connection is left open.
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
	if url != s.url && s.conn != nil { // the test uses another server
		_ = s.conn.Close(ctx)
	}
	if url != s.url || s.conn.IsClosed() {
		for _, c := range s.kept { // other processes may use their databases now
			c.Close()
		}
		for _, c := range s.emptying {
			_ = c.Close(ctx)
		}
		conn, err := pgx.Connect(ctx, url)
		if err != nil {
			return fmt.Errorf("connect to PostgreSQL: %w", err)
		}
		s.url, s.conn, s.templates, s.kept, s.emptying = url, conn, map[string]template{}, map[string]Connections{}, map[string]*pgx.Conn{}
	}
	return work(s)
}

// find returns the URL of the shared server, or starts a server for this process.
func (s *server) find(ctx context.Context) (string, error) {
	if given := os.Getenv(DatabaseVariable); given != "" {
		return given, nil
	}
	if s.own == "" {
		started, err := localserver.StartPostgres(context.WithoutCancel(ctx), localserver.Options{})
		if err != nil {
			return "", err
		}
		s.own = started.URL("postgres")
	}
	return s.own, nil
}

// replace returns the URL with another database or another role, if these are set.
func replace(server, database, role string) string {
	parsed, err := url.Parse(server)
	if err != nil {
		return server // not a URL: connecting will fail with a proper error
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
