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
	// replicaAnswer bounds how long a replica, or the primary for its sake, is waited for where it answers at once: there
	// is another server that takes the work.
	replicaAnswer = time.Second
	// catchUp is how long a read waits for what a replica hasn't replayed yet. Usually that is a millisecond or two.
	catchUp = 50 * time.Millisecond
)

// errBehind says that a replica hasn't replayed in time what it was asked for.
var errBehind = errors.New("the replica is behind")

// replica is the servers that repeat what the primary writes. They do nothing unless a [ReplicaWatch] runs.
type replica struct {
	pool    *pool
	looking *pool // of the watch, which mustn't wait for reads
	primary *pool
	// reached is how far the primary is. At most one question is on its way, so the primary has the less to do for each
	// read the more there are.
	reached coalesce.Question[place]

	// use ends when the servers no longer answer. nil: they aren't fit to be asked.
	use atomic.Pointer[use]
	// How many reads there were, by what became of them. All but the first are the primary's.
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
	reads, err := openPool(ctx, cfg, cfg.list()[0], cfg.Connections, nil, nil)
	if err != nil {
		return nil, err
	}
	looking, err := openPool(ctx, cfg, cfg.list()[0], 1, nil, nil)
	if err != nil {
		reads.connections.Close()
		return nil, err
	}
	reads.patience, looking.patience = reads.answer, looking.answer
	return &replica{pool: reads, looking: looking, primary: primary, reached: coalesce.Question[place]{
		Limit: replicaAnswer,
		Ask:   func(ctx context.Context) (place, error) { return query(ctx, primary, replicaAnswer, placeOf) },
	}}, nil
}

func (r *replica) close() {
	r.pool.connections.Close()
	r.looking.connections.Close()
}

// ReadReplica is [DB.Read] for work that takes the database longer than to ask for its state. It works on a replica, if
// there is one that has everything by now that was committed before the call, wherever that was; otherwise on the primary.
// So no caller can tell which it was. work may have run in part on a replica before it runs on the primary.
func (db *DB) ReadReplica(ctx context.Context, org id.Org, work func(tx *Tx) error) error {
	if db.replica != nil {
		if done, err := db.replica.read(ctx, org, db.Shard(org), work); done {
			return err
		}
	}
	return db.Read(ctx, org, work)
}

// read reports whether the work is done, or failed as it would fail on the primary.
func (r *replica) read(ctx context.Context, org id.Org, shard int, work func(tx *Tx) error) (done bool, err error) {
	use := r.use.Load()
	if use == nil {
		r.away.Add(1)
		return false, nil
	}
	wanted, err := r.reached.Answer(ctx)
	if err != nil {
		r.failed.Add(1)
		return false, err
	}
	// Unlike a snapshot, each statement sees the state that it finds.
	begin := "begin isolation level read committed, read only; set local app.org = " + strconv.FormatInt(int64(org), 10)
	_, err = r.pool.transaction(ctx, begin, true, func(inner pgx.Tx) error {
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
		r.use.CompareAndSwap(use, nil) // until the next look: others needn't wait as long
		return false, err
	case ctx.Err() == nil && isServers(err):
		r.failed.Add(1)
		return false, err
	}
	r.taken.Add(1)
	return true, err
}

// reach waits until the transaction's next statement sees a state. It asks in the transaction itself, since a proxy may
// have another server for the next one.
func (r *replica) reach(ctx context.Context, tx pgx.Tx, wanted state) error {
	late := time.NewTimer(catchUp)
	defer late.Stop()
	for pause := time.Millisecond; ; pause *= 2 {
		asking, cancel := context.WithTimeout(ctx, r.pool.answer)
		current, err := stateOf(asking, queries(tx))
		cancel()
		switch {
		case err != nil:
			return err
		case current.database != wanted.database || current.timeline != wanted.timeline:
			return errBehind
		case current.has(wanted.place):
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-late.C:
			return errBehind
		case <-time.After(pause):
		}
	}
}

// isServers reports whether a server is why reading failed, so that another one may succeed: it can't be reached, is full
// or refused a statement. Where a statement took as long as it may, another one would take as long again.
func isServers(err error) bool {
	refusal := (*pgconn.PgError)(nil)
	f := fault.Of(err)
	return errors.Is(err, ErrUnavailable) || errors.Is(err, ErrFull) || f == nil && errors.As(err, &refusal)
}
