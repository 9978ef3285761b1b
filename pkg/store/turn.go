package store

import (
	"context"
	"errors"
	"runtime"
	"time"

	"chatserver.dev/pkg/fair"
	"chatserver.dev/pkg/id"
)

// largeWait is how long a large transaction waits for its turn.
const largeWait = 30 * time.Second

var errNoTurn = errors.New("other large requests of the organization, or of others, took too long")

// newLarge returns the turns of large transactions.
func newLarge() *fair.Semaphore { return fair.NewSemaphore(max(1, runtime.GOMAXPROCS(0)/2), 1) }

// InTurn runs work that makes a large transaction, or one of several of a request. Organizations take turns, and each has one
// such transaction at a time: a few requests would have all connections and processors otherwise, each for many seconds. It
// fails with [ErrUnavailable] if its turn doesn't come within half a minute.
func (db *DB) InTurn(ctx context.Context, org id.Org, work func() error) error {
	end, err := take(ctx, db.large, org, largeWait, errNoTurn)
	if err != nil {
		return err
	}
	defer end()
	return work()
}

// turn waits until an organization may have another transaction: at most three quarters of the connections are for one, since
// transactions that wait for locks keep theirs. The caller must call end afterwards.
func (p *pool) turn(ctx context.Context, org id.Org) (end func(), err error) {
	return take(ctx, p.turns, org, p.waitTimeout, errNoConnection)
}

// take waits for a turn. It fails with [ErrUnavailable], which wraps late, if it doesn't come in time.
func take(ctx context.Context, from *fair.Semaphore, org id.Org, limit time.Duration, late error) (end func(), err error) {
	waiting, cancel := context.WithTimeoutCause(ctx, limit, late)
	defer cancel()
	end, ok := from.Acquire(waiting, org)
	if !ok {
		return nil, waitError(ctx, waiting, nil)
	}
	return end, nil
}

// waitError returns the error of a caller with the context ctx whose wait with the context waiting failed with err: that of ctx if the
// caller left, and otherwise [ErrUnavailable].
func waitError(ctx, waiting context.Context, err error) error {
	if errors.Is(ctx.Err(), context.Canceled) {
		return ctx.Err()
	}
	if waiting.Err() != nil && !hasState(err, tooManyConnections) {
		err = context.Cause(waiting)
	}
	return ErrUnavailable.Wrap(err)
}
