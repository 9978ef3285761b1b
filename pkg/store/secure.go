package store

import (
	"context"
	_ "embed"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// secureLock is the advisory lock of processes that change permissions, so that only one does at a time.
const secureLock = 7_305_002

//go:embed secure.sql
var lacking string

// secure ensures that all tables with an organization have row-level security, for their owner, too; that no function
// that runs as its owner finds temporary tables first in its search path; and that public can't create temporary tables.
// It isn't a migration, so that it also covers tables and functions of later ones. Each statement is a separate
// transaction with a short lock timeout, so that running services hardly wait for it.
func secure(ctx context.Context, conn *pgx.Conn) error {
	rows, err := conn.Query(ctx, lacking)
	if err != nil {
		return fmt.Errorf("look for gaps in row-level security: %w", err)
	}
	statements, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return fmt.Errorf("look for gaps in row-level security: %w", err)
	}
	if len(statements) == 0 {
		return nil
	}
	if _, err := conn.Exec(ctx, "set lock_timeout = '"+lockTimeout+"'"); err != nil {
		return fmt.Errorf("secure the database: %w", err)
	}
	for _, statement := range statements {
		err := patiently(ctx, func() error {
			_, err := conn.Exec(ctx, statement)
			return err
		})
		if err != nil {
			return fmt.Errorf("secure the database: %s: %w", statement, err)
		}
	}
	return nil
}

// lockTimeout is how long a change of the schema waits for a lock.
const lockTimeout = "2s"

// isLocked reports whether err is PostgreSQL's, about a lock that couldn't be taken.
func isLocked(err error) bool { return hasState(err, "55P03", "40P01") }

// patiently repeats a change that waited too long for a lock, with pauses for the statements that wait behind it.
func patiently(ctx context.Context, change func() error) error {
	for attempt := 1; ; attempt++ {
		err := change()
		if attempt == 30 || !isLocked(err) {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Second):
		}
	}
}

// locked runs work on a connection to the database while no other process changes permissions.
func locked(ctx context.Context, connString string, work func(conn *pgx.Conn) error) error {
	conn, err := connect(ctx, connString)
	if err != nil {
		return err
	}
	defer conn.Close(ctx) //nolint:errcheck // which ends the lock, too
	if _, err := conn.Exec(ctx, "select pg_advisory_lock($1)", secureLock); err != nil {
		return fmt.Errorf("wait for another process that changes permissions: %w", err)
	}
	return work(conn)
}
