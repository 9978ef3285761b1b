package store

import (
	"context"
	_ "embed"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// secureLock is the advisory lock of whoever changes rights, so that one process does at a time.
const secureLock = 7_305_002

//go:embed secure.sql
var lacking string

// secure makes the database's second lock whole, and changes nothing where it is: row-level security on all tables that
// have an organization, for their owner, too; no search path that temporary tables come first in; no temporary tables.
// It isn't a migration, so that no table or function that comes later can be forgotten. Each statement is a transaction
// of its own with a short lock timeout, so that running services hardly wait for it.
func secure(ctx context.Context, conn *pgx.Conn) error {
	rows, err := conn.Query(ctx, lacking)
	if err != nil {
		return fmt.Errorf("look for what row-level security lacks: %w", err)
	}
	statements, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return fmt.Errorf("look for what row-level security lacks: %w", err)
	}
	if len(statements) == 0 {
		return nil
	}
	if _, err := conn.Exec(ctx, "set lock_timeout = '2s'"); err != nil {
		return fmt.Errorf("secure the database: %w", err)
	}
	for _, statement := range statements {
		if err := patiently(ctx, conn, statement); err != nil {
			return fmt.Errorf("secure the database: %s: %w", statement, err)
		}
	}
	return nil
}

// patiently tries a statement again that had to wait for too long, with pauses for those who wait behind it.
func patiently(ctx context.Context, conn *pgx.Conn, statement string) error {
	for attempt := 1; ; attempt++ {
		_, err := conn.Exec(ctx, statement)
		if err == nil || attempt == 30 || !hasState(err, "55P03", "40P01") {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Second):
		}
	}
}

// locked runs work on a connection to the database while no other process changes rights.
func locked(ctx context.Context, connString string, work func(conn *pgx.Conn) error) error {
	conn, err := connect(ctx, connString)
	if err != nil {
		return err
	}
	defer conn.Close(ctx) //nolint:errcheck // which ends the lock, too
	if _, err := conn.Exec(ctx, "select pg_advisory_lock($1)", secureLock); err != nil {
		return fmt.Errorf("wait for whoever changes rights: %w", err)
	}
	return work(conn)
}
