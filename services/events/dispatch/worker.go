package dispatch

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync/atomic"
	"time"

	"chatserver.dev/pkg/failpoint"
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
	shard int
	news  chan struct{}

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

// readRegistry learns of all queues of the shard.
func (s *session) readRegistry(ctx context.Context) error {
	queues, version, err := s.redis.Registry(ctx, s.shard)
	if err != nil {
		return err
	}
	s.version = version
	s.queues = make(map[string]*queue.Queue, len(queues))
	s.rolls = map[id.Org]*roll{}
	s.rosters = map[id.Org]*roster{}
	for _, q := range queues {
		s.add(&q)
	}
	return nil
}

// refresh learns of the queues that came and went.
func (s *session) refresh(ctx context.Context) error {
	changes, version, ok, err := s.redis.Changes(ctx, s.shard, s.version)
	if err != nil {
		return err
	}
	if !ok {
		return s.readRegistry(ctx)
	}
	s.version = version
	for _, change := range changes {
		if change.Gone {
			s.remove(change.Queue.ID)
		} else {
			s.add(&change.Queue)
		}
	}
	return nil
}

func (s *session) add(q *queue.Queue) {
	s.remove(q.ID)
	s.queues[q.ID] = q
	l := s.rolls[q.Org]
	if l == nil {
		l = newRoll()
		s.rolls[q.Org] = l
	}
	l.add(q)
}

func (s *session) remove(name string) {
	q := s.queues[name]
	if q == nil {
		return
	}
	delete(s.queues, name)
	l := s.rolls[q.Org]
	if l.remove(q); l.empty() {
		delete(s.rolls, q.Org)
		delete(s.rosters, q.Org) // read again when somebody comes
	}
}

// sweep removes what is left of queues that expired, and queues that nobody reads and that grew too
// long.
func (s *session) sweep(ctx context.Context) error {
	if err := s.refresh(ctx); err != nil {
		return err
	}
	names := slices.Collect(maps.Keys(s.queues))
	lengths, err := s.redis.Lengths(ctx, s.shard, names)
	if err != nil {
		return err
	}
	expired := []string(nil)
	for i, name := range names {
		switch {
		case lengths[i] == 0:
			expired = append(expired, name)
		case lengths[i] > queue.MaxLength:
			if _, err := s.redis.Unregister(ctx, s.shard, name); err != nil {
				return err
			}
		}
	}
	return s.redis.Forget(ctx, s.shard, expired)
}

// call is what one Redis call is going to do, and how to take back what was done here for it.
type call struct {
	to      queue.Cursor
	appends []queue.Append
	count   int
	rest    []delivery // of the last event, for the next call
	applied []func()
}

// deliver brings events to their queues.
func (s *session) deliver(ctx context.Context, entries []store.LogEntry) error {
	s.alone = s.tries > 0
	for len(entries) > 0 {
		done, err := s.deliverSome(ctx, entries)
		if reason := (undeliverable{}); errors.As(err, &reason) {
			done, err = 1, s.giveUp(ctx, entries[0], reason)
		}
		if err != nil {
			return err
		}
		entries = entries[done:]
	}
	return nil
}

// deliverSome makes one Redis call for as many of the events as fit into it, or for a part of one. It returns
// how many are done, or an [undeliverable] where the first of them can't be delivered.
func (s *session) deliverSome(ctx context.Context, entries []store.LogEntry) (done int, err error) {
	c, count, err := s.prepare(ctx, entries)
	if err != nil {
		return 0, err
	}
	s.failpoints.Meet(failpoint.BeforeDispatch)
	outcome, gone, err := s.redis.Dispatch(ctx, s.shard, s.cursor, c.to, s.version, c.appends)
	switch {
	case errors.Is(err, queue.ErrRefused) && (s.alone || len(entries) == 1):
		return 0, undeliverable{err}
	case errors.Is(err, queue.ErrRefused): // because of one of the events
		c.takeBack()
		s.alone, s.rest = true, nil
		return 0, nil
	case err != nil:
		return 0, err
	}
	switch outcome {
	case queue.CursorMoved:
		return 0, errOvertaken
	case queue.RegistryChanged:
		c.takeBack()
		s.rest = nil
		return 0, s.refresh(ctx)
	case queue.Done:
	}
	s.failpoints.Meet(failpoint.AfterDispatch)
	s.cursor, s.rest = c.to, c.rest
	if s.failing == c.to.Position && c.to.Through == 0 {
		s.tries = 0 // it was delivered after all
	}
	if len(gone) > 0 {
		for _, name := range gone {
			s.remove(name)
		}
		if err := s.redis.Forget(ctx, s.shard, gone); err != nil {
			s.logger.WarnContext(ctx, "expired queues can't be removed", slog.Any("error", err))
		}
	}
	return count, nil
}

// prepare works out a call for as many of the events as fit into it, or for a part of one, and returns how many
// are done with it. It fails with an [undeliverable] where the first of them can't be delivered.
func (s *session) prepare(ctx context.Context, entries []store.LogEntry) (c call, done int, err error) {
	c.to = s.cursor
	for _, entry := range entries {
		if done > 0 && s.alone {
			break
		}
		to, err := s.recipients(ctx, entry)
		if reason := (undeliverable{}); done > 0 && errors.As(err, &reason) {
			break // the next call begins with it
		}
		if err != nil {
			return call{}, 0, err
		}
		room := queue.MaxAppends - c.count
		if len(to) > room && c.count > 0 {
			break // the next call begins with it
		}
		part := to[:min(room, len(to))]
		if len(part) > 0 {
			payload := []byte(entry.Payload)
			s.fresh.Put(entry.Position, payload, entry.Created)
			c.appends = append(c.appends, appends(entry.Position, payload, part)...)
			c.count += len(part)
		}
		c.to.Position, c.to.Through = entry.Position, 0
		if len(part) < len(to) {
			c.to.Through = part[len(part)-1].queue.Number
			c.rest = to[len(part):]
			break
		}
		s.apply(&c, entry)
		done++
	}
	return c, done, nil
}

// takeBack makes the rosters what they were before the call.
func (c *call) takeBack() {
	for _, undo := range slices.Backward(c.applied) {
		undo()
	}
}

// recipients returns the queues that still have to get an event, or an [undeliverable].
func (s *session) recipients(ctx context.Context, entry store.LogEntry) ([]delivery, error) {
	if entry.Broken != nil {
		return nil, undeliverable{entry.Broken}
	}
	if s.rest != nil && s.cursor.Position == entry.Position {
		return s.rest, nil
	}
	queues := s.rolls[entry.Org]
	if queues == nil {
		return nil, nil
	}
	r := s.rosters[entry.Org]
	if r == nil {
		before := store.Position{Xid: entry.Xid, ID: entry.ID - 1}
		loaded, err := loadRoster(ctx, s.log, entry.Org, before, queues)
		if errors.Is(err, store.ErrBroken) {
			return nil, undeliverable{err}
		}
		if err != nil {
			return nil, err
		}
		r = loaded
		s.rosters[entry.Org] = r
	}
	to, err := r.fanout(entry)
	if err == nil && len(to) > 0 {
		err = readable(entry)
	}
	if err != nil {
		return nil, undeliverable{err}
	}
	if s.cursor.Through > 0 && s.cursor.Position == entry.Position {
		to = slices.DeleteFunc(to, func(d delivery) bool { return d.queue.Number <= s.cursor.Through })
	}
	return to, nil
}

// apply makes the roster what it is after an event.
func (s *session) apply(c *call, entry store.LogEntry) {
	r := s.rosters[entry.Org]
	if r == nil || entry.Change == nil {
		return
	}
	change := *entry.Change
	r.apply(change)
	c.applied = append(c.applied, func() { r.undo(change) })
}
