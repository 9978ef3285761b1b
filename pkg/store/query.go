package store

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"chatserver.dev/pkg/store/sqlc"
)

// queries returns the generated queries on a connection or transaction. Their errors name the query that failed.
func queries(db sqlc.DBTX) *sqlc.Queries { return sqlc.New(namedErrors{db}) }

type namedErrors struct{ sqlc.DBTX }

// Exec implements sqlc.DBTX.
func (n namedErrors) Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error) {
	tag, err := n.DBTX.Exec(ctx, sql, args...)
	return tag, named(err, sql)
}

// Query implements sqlc.DBTX.
func (n namedErrors) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	rows, err := n.DBTX.Query(ctx, sql, args...)
	return namedRows{rows, sql}, named(err, sql)
}

// QueryRow implements sqlc.DBTX.
func (n namedErrors) QueryRow(ctx context.Context, sql string, args ...any) pgx.Row {
	return namedRow{n.DBTX.QueryRow(ctx, sql, args...), sql}
}

type namedRows struct {
	pgx.Rows
	sql string
}

// Scan implements pgx.Rows.
func (r namedRows) Scan(to ...any) error { return named(r.Rows.Scan(to...), r.sql) }

// Err implements pgx.Rows.
func (r namedRows) Err() error { return named(r.Rows.Err(), r.sql) }

type namedRow struct {
	pgx.Row
	sql string
}

// Scan implements pgx.Row.
func (r namedRow) Scan(to ...any) error { return named(r.Row.Scan(to...), r.sql) }

// named wraps err with the name of a generated query, which is in the comment that it begins with.
func named(err error, sql string) error {
	if err == nil {
		return nil
	}
	name, _, _ := strings.Cut(strings.TrimPrefix(sql, "-- name: "), " ")
	return fmt.Errorf("query %s: %w", name, err)
}

// query runs a generated query that can be repeated, see [ask].
func query[T any](ctx context.Context, p *pool, limit time.Duration, work func(ctx context.Context, q *sqlc.Queries) (T, error)) (T, error) {
	return ask(ctx, p, limit, func(ctx context.Context, conn *pgx.Conn) (T, error) { return work(ctx, queries(conn)) })
}

// upkeep is [query] for a long query without a result.
func upkeep(ctx context.Context, p *pool, work func(ctx context.Context, q *sqlc.Queries) error) error {
	_, err := query(ctx, p, upkeepTime, func(ctx context.Context, q *sqlc.Queries) (struct{}, error) { return struct{}{}, work(ctx, q) })
	return err
}

// wrap returns err prefixed with what, or nil if err is nil.
func wrap(err error, what string) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", what, err)
}
