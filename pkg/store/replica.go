package store

import (
	"context"
	"errors"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"chatserver.dev/pkg/coalesce"
	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/id"
)

const (
	// replicaAnswer is the timeout of quick operations on a replica, and on the primary before a read on a replica. It is
	// short because the primary can do the work instead.
	replicaAnswer = time.Second
	// catchUp is how long a read waits for a replica to catch up. Usually it takes a millisecond or two.
	catchUp = 50 * time.Millisecond
)

// errBehind reports that a replica hasn't caught up in time.
var errBehind = errors.New("the replica is behind")

// replica is the database's streaming replicas. They are used only while a [ReplicaWatch] runs.
type replica struct {
	pool    *pool
	watch   *pool // of the ReplicaWatch, which mustn't wait for reads
	primary *pool
	// wanted queries the primary's position. At most one query is open, whose result all reads share, so the more reads there
	// are, the less each costs the primary.
	wanted coalesce.Call[walPosition]

	// use ends when the servers no longer answer. nil: they aren't used.
	use atomic.Pointer[use]
	// Numbers of reads by outcome. All but the first were done by the primary.
	taken, away, behind, failed atomic.Int64
}

// use is a period in which a replica of a database answers.
type use struct {
	context.Context

	database string
	end      context.CancelFunc
}

func openReplica(ctx context.Context, cfg Config, primary *pool) (*replica, error) {
	cfg.URL = cfg.ReplicaURL
	cfg.AnswerTimeout = min(cfg.answerTimeout(), replicaAnswer)
	reads, err := openPool(ctx, cfg, poolOptions{login: cfg.service(), connections: cfg.Connections})
	if err != nil {
		return nil, err
	}
	watch, err := openPool(ctx, cfg, poolOptions{login: cfg.service(), connections: 1})
	if err != nil {
		reads.connections.Close()
		return nil, err
	}
	reads.waitTimeout, watch.waitTimeout = reads.answer, watch.answer
	return &replica{pool: reads, watch: watch, primary: primary, wanted: coalesce.Call[walPosition]{
		Timeout: replicaAnswer,
		Func:    func(ctx context.Context) (walPosition, error) { return query(ctx, primary, replicaAnswer, positionOf) },
	}}, nil
}

func (r *replica) close() {
	r.pool.connections.Close()
	r.watch.connections.Close()
}

// ReadReplica is [DB.Read] for work that takes the database longer than a query of its state. It runs work on a replica
// that has everything that was committed before the call, by any process, or else on the primary, so callers see no
// difference. work may have run in part on a replica before it runs on the primary.
func (db *DB) ReadReplica(ctx context.Context, org id.Org, work func(tx *Tx) error) error {
	return db.readReplica(ctx, org, "", work)
}

// Search is [DB.ReadReplica] for work whose duration depends on what is searched for. It fails with [ErrSlow] if a
// statement takes longer than limit, or than the configuration allows.
func (db *DB) Search(ctx context.Context, org id.Org, limit time.Duration, work func(tx *Tx) error) error {
	if db.service.statement > 0 {
		limit = min(limit, db.service.statement)
	}
	return db.readReplica(ctx, org, "; set local statement_timeout = '"+milliseconds(limit)+"'", work)
}

// readReplica runs work in transactions that begin with more settings.
func (db *DB) readReplica(ctx context.Context, org id.Org, more string, work func(tx *Tx) error) error {
	if db.replica != nil {
		if done, err := db.replica.read(ctx, org, db.Shard(org), more, work); done {
			return err
		}
	}
	return db.begin(ctx, org, beginReading+more, work)
}

// read reports whether work succeeded, or failed as it would on the primary.
func (r *replica) read(ctx context.Context, org id.Org, shard int, more string, work func(tx *Tx) error) (done bool, err error) {
	use := r.use.Load()
	if use == nil {
		r.away.Add(1)
		return false, nil
	}
	wanted, err := r.wanted.Do(ctx)
	if err != nil {
		r.failed.Add(1)
		return false, err
	}
	// Read committed: each statement sees the state when it starts, so that the transaction can wait for one.
	begin := "begin isolation level read committed, read only; set local app.org = " + strconv.FormatInt(int64(org), 10) + more
	_, err = r.pool.transaction(ctx, org, begin, true, func(inner pgx.Tx) error {
		raw := inner.Conn().PgConn().Conn()
		ended := context.AfterFunc(use, func() { _ = raw.Close() }) //nolint:contextcheck // statements are ended by ctx
		defer ended()
		if err := r.reach(ctx, inner, state{use.database, wanted}); err != nil {
			return err
		}
		return work(&Tx{Queries: queries(inner), org: org, shard: shard, tx: inner})
	})
	switch {
	case errors.Is(err, errBehind):
		r.behind.Add(1)
		r.use.CompareAndSwap(use, nil) // until the next check, so that other reads don't wait, too
		return false, err
	case ctx.Err() == nil && isServers(err):
		r.failed.Add(1)
		return false, err
	}
	r.taken.Add(1)
	return true, err
}

// reach waits until the transaction's next statement sees the wanted state. It queries the state in the transaction
// itself, since a proxy may connect the next transaction to another server.
func (r *replica) reach(ctx context.Context, tx pgx.Tx, wanted state) error {
	late := time.After(catchUp)
	for pause := time.Millisecond; ; pause *= 2 {
		asking, cancel := context.WithTimeout(ctx, r.pool.answer)
		current, err := stateOf(asking, queries(tx))
		cancel()
		switch {
		case err != nil:
			return err
		case current.database != wanted.database || current.timeline != wanted.timeline:
			return errBehind
		case current.has(wanted.walPosition):
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-late:
			return errBehind
		case <-time.After(pause):
		}
	}
}

// isServers reports whether reading failed because of the server, so that another one may succeed: it can't be reached,
// its disk is full, or it refused a statement. After a timeout, another server would probably time out, too.
func isServers(err error) bool {
	refusal := (*pgconn.PgError)(nil)
	f := fault.Of(err)
	return errors.Is(err, ErrUnavailable) || errors.Is(err, ErrFull) || f == nil && errors.As(err, &refusal)
}
