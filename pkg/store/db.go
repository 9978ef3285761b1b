package store

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/store/sqlc"
)

// ErrNotFound says that a query which should give one row found none.
var ErrNotFound = pgx.ErrNoRows

// Waker tells the dispatcher of a shard that its log has news.
type Waker interface {
	// Wake returns at once. A wake-up may be lost: the dispatcher looks by itself, too.
	Wake(shard int)
}

// DB is the database. It is safe for concurrent use.
type DB struct {
	service    *pgxpool.Pool // held to one organization by row-level security
	everywhere *pgxpool.Pool // for what is about the whole server
	shards     int
	waker      Waker
	gathered   gathering // messages that wait to be stored
}

// Open connects to a migrated database. Close ends it.
func Open(ctx context.Context, cfg Config, waker Waker) (*DB, error) {
	if cfg.Connections == 0 {
		cfg.Connections = int32(min(4*runtime.GOMAXPROCS(0), 256)) //nolint:gosec // bounded above
	}
	service, err := pool(ctx, cfg, "chatserver_service", cfg.Connections, nil, nil)
	if err != nil {
		return nil, err
	}
	// Planning a look at the partitioned log takes longer than the look, and never depends on its parameters.
	everywhere, err := pool(ctx, cfg, "chatserver_everywhere", 4, map[string]string{"plan_cache_mode": "force_generic_plan"}, noteIncarnation)
	if err != nil {
		service.Close()
		return nil, err
	}
	db := &DB{service: service, everywhere: everywhere, waker: waker}
	shards, err := sqlc.New(everywhere).Shards(ctx)
	if err != nil {
		db.Close()
		return nil, fmt.Errorf("read the installation's number of shards (is the database migrated?): %w", err)
	}
	db.shards = int(shards)
	return db, nil
}

func pool(ctx context.Context, cfg Config, role string, connections int32, more map[string]string,
	greet func(context.Context, *pgx.Conn) error,
) (*pgxpool.Pool, error) {
	config, err := pgxpool.ParseConfig(cfg.ConnString())
	if err != nil {
		return nil, fmt.Errorf("read DATABASE_URL: %w", err)
	}
	config.MaxConns = connections
	config.MaxConnIdleTime = 5 * time.Minute
	config.AfterConnect = greet
	params := config.ConnConfig.RuntimeParams
	params["role"] = role
	params["statement_timeout"] = milliseconds(cfg.StatementTimeout)
	params["idle_in_transaction_session_timeout"] = milliseconds(cfg.IdleTimeout)
	params["timezone"] = "UTC"
	params["jit"] = "off" // compiling takes longer than any of our statements
	maps.Copy(params, more)
	if params["application_name"] == "" {
		params["application_name"] = role
	}
	opened, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("open database: %w", err)
	}
	return opened, nil
}

func milliseconds(d time.Duration) string { return fmt.Sprintf("%dms", d.Milliseconds()) }

// Close ends all connections, waiting for those in use.
func (db *DB) Close() {
	db.service.Close()
	db.everywhere.Close()
}

// Ping reports whether the database answers.
func (db *DB) Ping(ctx context.Context) error { return db.service.Ping(ctx) }

// Shards is how many shards the event log has; fixed when the server is installed.
func (db *DB) Shards() int { return db.shards }

// Shard is the shard that an organization's events are in.
func (db *DB) Shard(org id.Org) int { return int(int64(org) % int64(db.shards)) }

// retryable reports whether a transaction failed only because of another one.
func retryable(err error) bool {
	return hasState(err, "40001", "40P01") // serialization failure, deadlock
}

// hasState reports whether err is PostgreSQL's, with one of these SQLSTATEs.
func hasState(err error, states ...string) bool {
	pg := (*pgconn.PgError)(nil)
	return errors.As(err, &pg) && slices.Contains(states, pg.Code)
}

// IsDuplicate reports whether err says that a unique index has the row already.
func IsDuplicate(err error) bool {
	return hasState(err, "23505")
}
