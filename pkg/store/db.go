package store

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"chatserver.dev/pkg/fair"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/store/sqlc"
)

// ErrNotFound reports that a query for one row found none.
var ErrNotFound = pgx.ErrNoRows

// Waker notifies the dispatcher of a shard that its log has new events.
type Waker interface {
	// Wake returns at once. A wake-up may be lost: the dispatcher polls, too.
	Wake(shard int)
}

// DB is the database. It is safe for concurrent use.
type DB struct {
	service    *pool    // restricted to one organization by row-level security
	everywhere *pool    // for queries across organizations
	replica    *replica // nil: there is none
	shards     int
	waker      Waker
	batcher    sendBatcher
	large      *fair.Semaphore // of large transactions
}

// maxDefaultConnections is the maximum of [Config].Connections by default. A process can't know the cores of PostgreSQL, nor how many
// processes share it: the cores of a large node aren't a reason to take all connections.
const maxDefaultConnections = 32

// Open connects to a migrated database. The caller closes it.
func Open(ctx context.Context, cfg Config, waker Waker) (*DB, error) {
	if cfg.Connections == 0 {
		cfg.Connections = int32(min(4*runtime.GOMAXPROCS(0), maxDefaultConnections))
	}
	service, err := openPool(ctx, cfg, poolOptions{login: cfg.service(), connections: cfg.Connections})
	if err != nil {
		return nil, err
	}
	everywhere, err := openPool(ctx, cfg, poolOptions{
		login: cfg.everywhere(), connections: 4, afterConnect: noteIncarnation,
		params: map[string]string{
			// Planning a query of the partitioned log takes longer than running it, and the plan never depends on parameters.
			"plan_cache_mode": "force_generic_plan",
			// The plan is made while the log's newest partition is empty, when a sequential scan costs no more than its index.
			// It is kept until PostgreSQL analyzes the partition: after a minute of sends, or never.
			"enable_seqscan": "off",
		},
	})
	if err != nil {
		service.connections.Close()
		return nil, err
	}
	db := &DB{service: service, everywhere: everywhere, waker: waker, large: newLarge()}
	if cfg.ReplicaURL != "" {
		if db.replica, err = openReplica(ctx, cfg, service); err != nil {
			db.Close()
			return nil, err
		}
	}
	shards, err := query(ctx, everywhere, everywhere.answer, func(ctx context.Context, q *sqlc.Queries) (int16, error) { return q.Shards(ctx) })
	if err != nil {
		db.Close()
		return nil, fmt.Errorf("read the installation's number of shards (is the database migrated?): %w", err)
	}
	db.shards = int(shards)
	return db, nil
}

// Close ends all connections, waiting for those in use.
func (db *DB) Close() {
	db.service.connections.Close()
	db.everywhere.connections.Close()
	if db.replica != nil {
		db.replica.close()
	}
}

// Ping returns an error if the database doesn't answer, within about two seconds.
func (db *DB) Ping(ctx context.Context) error {
	_, err := ask(ctx, db.service, min(db.service.answer, pingTime), func(ctx context.Context, conn *pgx.Conn) (any, error) {
		return nil, conn.Ping(ctx)
	})
	return err
}

// pingTime is short enough that a readiness probe's timeout leaves time for a second attempt.
const pingTime = 900 * time.Millisecond

// Shards returns the number of shards of the event log, which is fixed when the server is installed.
func (db *DB) Shards() int { return db.shards }

// Shard returns the shard of an organization.
func (db *DB) Shard(org id.Org) int { return int(int64(org) % int64(db.shards)) }

// retryable reports whether a transaction failed because of a concurrent one, so that it may succeed if repeated.
func retryable(err error) bool {
	return hasState(err, "40001", "40P01") || fileGone(err) || errors.Is(err, ErrRetry) // serialization failure, deadlock
}

// fileGone reports whether a transaction failed because a file that it put into a message was deleted at the same time.
// If it is repeated, it doesn't find the file.
func fileGone(err error) bool {
	pg := (*pgconn.PgError)(nil)
	return errors.As(err, &pg) && pg.Code == "23503" && pg.TableName == "attachment_messages"
}

// hasState reports whether err is PostgreSQL's, with one of these SQLSTATEs.
func hasState(err error, states ...string) bool {
	pg := (*pgconn.PgError)(nil)
	return errors.As(err, &pg) && slices.Contains(states, pg.Code)
}

// IsNotFound reports whether err is [ErrNotFound].
func IsNotFound(err error) bool { return errors.Is(err, ErrNotFound) }

// IsDuplicate reports whether err is a violation of a unique index.
func IsDuplicate(err error) bool {
	return hasState(err, "23505")
}
