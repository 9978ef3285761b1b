package storetest

import (
	"testing"

	"github.com/jackc/pgx/v5"
)

// Session is a connection as the superuser, for changes that the product can't make and for inspecting the results.
// Errors end the test. It is not safe for concurrent use.
type Session struct {
	t    testing.TB
	conn *pgx.Conn
}

// Connect opens a session that is closed when the test ends.
func Connect(t testing.TB, url string) *Session {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatalf("connect to the database: %v", err)
	}
	t.Cleanup(func() { _ = conn.Close(t.Context()) })
	return &Session{t: t, conn: conn}
}

// Exec runs a statement, which may be "begin" or "rollback".
func (s *Session) Exec(sql string, args ...any) {
	s.t.Helper()
	if _, err := s.conn.Exec(s.t.Context(), sql, args...); err != nil {
		s.t.Fatalf("%s: %v", sql, err)
	}
}

// Values returns the only column of a query.
func Values[T any](s *Session, sql string, args ...any) []T {
	s.t.Helper()
	return collect(s, pgx.RowTo[T], sql, args)
}

// Rows returns the rows of a query as structs, whose fields are the columns in their order.
func Rows[T any](s *Session, sql string, args ...any) []T {
	s.t.Helper()
	return collect(s, pgx.RowToStructByPos[T], sql, args)
}

func collect[T any](s *Session, to pgx.RowToFunc[T], sql string, args []any) []T {
	s.t.Helper()
	rows, err := s.conn.Query(s.t.Context(), sql, args...)
	if err != nil {
		s.t.Fatalf("%s: %v", sql, err)
	}
	values, err := pgx.CollectRows(rows, to)
	if err != nil {
		s.t.Fatalf("%s: %v", sql, err)
	}
	return values
}
