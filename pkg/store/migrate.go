package store

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"
)

//go:embed migration/*.sql
var migrations embed.FS

// Migrations returns the files that Migrate runs.
func Migrations() fs.FS { return migrations }

// Migrate updates the schema, ensures that row-level security covers every table, and returns the schema's new state. It
// must connect as the database's owner. Only one process migrates at a time: others wait, and then have nothing to do.
// When ctx ends, earlier migrations stay. The current one is a transaction, which is rolled back, or removes what is left of it when it
// is run again. One that waits too long for a lock is repeated, with pauses for the statements of running services that wait behind it.
func Migrate(ctx context.Context, connString string) (Schema, error) {
	return MigrateLogged(ctx, connString, slog.New(slog.DiscardHandler))
}

// MigrateLogged is [Migrate] with a line in a log for each migration that is complete.
func MigrateLogged(ctx context.Context, connString string, logger *slog.Logger) (Schema, error) {
	provider, closeDB, err := migrator(connString, logger)
	if err != nil {
		return Schema{}, err
	}
	defer closeDB()
	err = patiently(ctx, func() error {
		_, err := provider.Up(ctx)
		return err
	})
	if err != nil {
		if ctx.Err() != nil {
			return Schema{}, fmt.Errorf("the migration was interrupted, perhaps while it waited for a long transaction, such as a dump's, to end: run it again: %w", context.Cause(ctx))
		}
		if isLocked(err) {
			return Schema{}, fmt.Errorf("a long transaction, such as a dump's, uses what the migration changes: run it again when that has ended: %w", err)
		}
		partial := (*goose.PartialError)(nil)
		if errors.As(err, &partial) {
			return Schema{}, fmt.Errorf("migrate: %s: %w", partial.Failed.Source.Path, partial.Err)
		}
		return Schema{}, fmt.Errorf("migrate: %w", lineError{err})
	}
	schema := Schema{}
	err = locked(ctx, connString, func(conn *pgx.Conn) error {
		if err := secure(ctx, conn); err != nil {
			return err
		}
		schema, err = readSchema(ctx, conn)
		return err
	})
	return schema, err
}

func migrator(connString string, logger *slog.Logger) (provider *goose.Provider, closeDB func(), err error) {
	config, err := pgx.ParseConfig(connString)
	if err != nil {
		return nil, nil, fmt.Errorf("read DATABASE_URL: %w", err)
	}
	files, err := fs.Sub(migrations, "migration")
	if err != nil {
		return nil, nil, fmt.Errorf("open migrations: %w", err)
	}
	// A waiting process retries once a second, for five minutes.
	locker, err := lock.NewPostgresSessionLocker(lock.WithLockTimeout(1, 300))
	if err != nil {
		return nil, nil, fmt.Errorf("prepare the migration's lock: %w", err)
	}
	// Whatever comes later on a table waits behind a migration that waits for its lock.
	config.RuntimeParams["lock_timeout"] = lockTimeout
	db := stdlib.OpenDB(*config)
	provider, err = goose.NewProvider(goose.DialectPostgres, db, files, goose.WithSessionLocker(locker), goose.WithSlog(logger), goose.WithVerbose(true))
	if err != nil {
		return nil, nil, fmt.Errorf("prepare migrations: %w", err)
	}
	return provider, func() { _ = db.Close() }, nil
}
