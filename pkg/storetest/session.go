package storetest

import (
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5"

	"chatserver.dev/pkg/testbed"
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

// AwaitBlocked waits until so many of the database's transactions wait for a lock. It returns how many of them have ids, that is, have
// written.
func (s *Session) AwaitBlocked(transactions int) (wrote int) {
	s.t.Helper()
	// The lock of a row doesn't contain the database, but whoever waits for it has others.
	const blocked = `with own as (select * from pg_locks where pid in
			(select pid from pg_locks where database = (select oid from pg_database where datname = current_database())))
		select count(*), count(*) filter (where exists (select from own x where x.pid = w.pid and x.locktype = 'transactionid' and x.granted))
		from (select distinct pid from own where not granted) w`
	testbed.Until(s.t, fmt.Sprintf("%d transactions wait for a lock", transactions), func() bool {
		found := Rows[struct{ Waiting, Wrote int }](s, blocked)[0]
		wrote = found.Wrote
		return found.Waiting >= transactions
	})
	return wrote
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
