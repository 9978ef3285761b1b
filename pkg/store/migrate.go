package store

import (
	"context"
	"embed"
	"fmt"
	"io/fs"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"
)

//go:embed migration/*.sql
var migrations embed.FS

// Migrate brings the schema up to date, one process at a time: others wait, and then find nothing
// to do. It needs the database's owner. It gives the version that the schema is at afterwards.
func Migrate(ctx context.Context, url string) (version int64, err error) {
	provider, closeDB, err := migrator(url)
	if err != nil {
		return 0, err
	}
	defer closeDB()
	if _, err := provider.Up(ctx); err != nil {
		return 0, fmt.Errorf("migrate: %w", err)
	}
	version, err = provider.GetDBVersion(ctx)
	if err != nil {
		return 0, fmt.Errorf("read schema version: %w", err)
	}
	return version, nil
}

// SchemaVersion gives the version that the database's schema is at, and the one that this program
// needs.
func SchemaVersion(ctx context.Context, url string) (has, needs int64, err error) {
	provider, closeDB, err := migrator(url)
	if err != nil {
		return 0, 0, err
	}
	defer closeDB()
	has, needs, err = provider.GetVersions(ctx)
	if err != nil {
		return 0, 0, fmt.Errorf("read schema version: %w", err)
	}
	return has, needs, nil
}

func migrator(url string) (provider *goose.Provider, closeDB func(), err error) {
	config, err := pgx.ParseConfig(url)
	if err != nil {
		return nil, nil, fmt.Errorf("read DATABASE_URL: %w", err)
	}
	files, err := fs.Sub(migrations, "migration")
	if err != nil {
		return nil, nil, fmt.Errorf("open migrations: %w", err)
	}
	// Who waits looks once a second, for five minutes.
	locker, err := lock.NewPostgresSessionLocker(lock.WithLockTimeout(1, 300))
	if err != nil {
		return nil, nil, fmt.Errorf("prepare the migration's lock: %w", err)
	}
	db := stdlib.OpenDB(*config)
	provider, err = goose.NewProvider(goose.DialectPostgres, db, files, goose.WithSessionLocker(locker))
	if err != nil {
		return nil, nil, fmt.Errorf("prepare migrations: %w", err)
	}
	return provider, func() { _ = db.Close() }, nil
}
