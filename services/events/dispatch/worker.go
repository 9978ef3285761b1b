package dispatch

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/queue"
	"chatserver.dev/pkg/store"
)

// readLimit bounds how many events one look at the log brings.
const readLimit = 500

// heldBack is when to look again for events that an open transaction holds back.
const heldBack = 2 * time.Millisecond

// readGap is how long after a look at the log comes the next one, at the earliest. A busy shard's events
// are read some at a time, which costs a fraction; on a quiet one nothing waits.
const readGap = 3 * time.Millisecond

// sweepPeriod is how often queues that expired are looked for.
const sweepPeriod = time.Minute

// errOvertaken says that the shard's cursor isn't where this replica left it.
var errOvertaken = errors.New("the cursor was moved: another replica dispatches the shard, or Redis lost writes")

// worker dispatches one shard.
type worker struct {
	*Dispatcher
	shard  int
	news   chan struct{} // the log has news
	vacant chan struct{} // the lease was given up

	leads  atomic.Bool  // this replica has the shard's lease
	oldest atomic.Int64 // when the oldest event was made that isn't dispatched, in Unix nanoseconds; 0: there is none

	// The rest belongs to whoever dispatches the shard.
	failing store.Position // the event that couldn't be delivered when it was tried last
	tries   int            // how often it couldn't
}

// session is a worker's view of its shard, from one start to the next failure.
type session struct {
	*worker
	cursor  queue.Cursor
	version int64
	queues  map[string]*queue.Queue
	rolls   map[id.Org]*roll
	rosters map[id.Org]*roster
	// alone says that each event has a call of its own, since one of them can't be delivered.
	alone bool
	// rest are the queues that an event still has to enter when the cursor is inside of it; nil: to be
	// worked out.
	rest []delivery
}

// dispatch works on the shard until ctx ends or something fails. What it knows it has from Redis
// and PostgreSQL, so it can always be started again.
func (w *worker) dispatch(ctx context.Context) error {
	cursor, err := Start(ctx, w.log, w.redis, w.shard)
	if err != nil {
		return err
	}
	s := &session{worker: w, cursor: cursor}
	if err := s.readRegistry(ctx); err != nil {
		return err
	}
	sweep := time.NewTicker(sweepPeriod)
	defer sweep.Stop()
	for ctx.Err() == nil {
		began := w.now()
		entries, more, err := w.log.Of(s.cursor.Incarnation).Read(ctx, w.shard, s.cursor.After(), readLimit)
		if err != nil {
			return err
		}
		if len(entries) > 0 {
			w.oldest.Store(entries[0].Created.UnixNano())
		}
		if err := s.deliver(ctx, entries); err != nil {
			return err
		}
		w.dispatched(entries, more, began)
		pause := idlePoll
		if len(entries) == readLimit {
			continue
		} else if more {
			pause = heldBack
		}
		timer := time.NewTimer(pause)
		select {
		case <-ctx.Done():
		case <-timer.C:
			if !more {
				err = s.isInPlace(ctx)
			}
		case <-w.news:
		case <-sweep.C:
			err = s.sweep(ctx)
		}
		timer.Stop()
		if err != nil {
			return err
		}
		if early := readGap - w.now().Sub(began); early > 0 {
			sleep(ctx, early)
		}
	}
	return nil
}

// isInPlace fails where the cursor isn't where this replica left it. A Redis that lost writes has lost events of the
// queues, too: they are dispatched again from there, and don't wait for the next event.
func (s *session) isInPlace(ctx context.Context) error {
	cursor, _, err := s.redis.Cursor(ctx, s.shard)
	if err == nil && cursor != s.cursor {
		err = errOvertaken
	}
	return err
}

// dispatched notes how far the log is dispatched, after what was read when the look at it began.
func (w *worker) dispatched(entries []store.LogEntry, more bool, began time.Time) {
	switch {
	case len(entries) == readLimit:
		w.oldest.Store(entries[len(entries)-1].Created.UnixNano()) // what follows isn't older
	case !more:
		w.oldest.Store(0)
	case len(entries) > 0 || w.oldest.Load() == 0:
		w.oldest.Store(began.UnixNano()) // held back since now, as far as is known here
	}
}

// Start gives a shard's cursor, and sets it where there is none. Where the database's history isn't
// the one that the cursor belongs to, the shard's queues are dropped: what they were about to get,
// or got, may not have happened.
func Start(ctx context.Context, log store.Log, redis *queue.Redis, shard int) (queue.Cursor, error) {
	incarnation, err := log.Incarnation(ctx)
	if err != nil {
		return queue.Cursor{}, err
	}
	end, err := log.End(ctx)
	if err != nil {
		return queue.Cursor{}, err
	}
	fresh := queue.Cursor{Incarnation: incarnation, Position: end}
	cursor, ok, err := redis.Cursor(ctx, shard)
	if err != nil {
		return queue.Cursor{}, err
	}
	switch {
	case !ok:
		err = redis.StartCursor(ctx, shard, fresh)
	case cursor.Incarnation != incarnation || cursor.Xid > end.Xid+maxRunning:
		err = redis.Reset(ctx, shard, cursor, fresh)
	default:
		return cursor, nil
	}
	if err != nil {
		return queue.Cursor{}, err
	}
	// Another replica may have been faster.
	cursor, ok, err = redis.Cursor(ctx, shard)
	if err == nil && !ok {
		err = fmt.Errorf("cursor of shard %d vanished", shard)
	}
	return cursor, err
}

// maxRunning is far more than the number of transactions that are ever open at once: a cursor that
// is further ahead of the oldest of them than this belongs to another history.
const maxRunning = 1 << 20
