package dispatch

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/outage"
	"chatserver.dev/pkg/queue"
	"chatserver.dev/pkg/store"
)

// readLimit is the maximum number of events in one read of the log, which also limits their size.
const readLimit = 500

// heldBackPause is the pause before the next read if an open transaction holds back events.
const heldBackPause = 2 * time.Millisecond

// readGap is the minimum time between two reads of the log. On a busy shard, each read then returns several events,
// which costs a fraction; on a quiet shard, no event waits.
const readGap = 3 * time.Millisecond

// unusedGap is readGap while no organization of the shard has a queue: nobody waits for its events.
const unusedGap = 20 * time.Millisecond

// sweepPeriod is the time between two searches for expired queues.
const sweepPeriod = time.Minute

// errOvertaken means that the shard's cursor isn't where this replica left it.
var errOvertaken = errors.New("the cursor was moved: another replica dispatches the shard, or Redis lost writes")

// worker dispatches one shard.
type worker struct {
	*Dispatcher
	shard  int
	news   chan struct{} // the log has news
	vacant chan struct{} // the lease was given up

	leads  atomic.Bool  // this replica has the shard's lease
	oldest atomic.Int64 // when the oldest event that isn't dispatched was created, in Unix nanoseconds; 0: there is none

	// Only the goroutine that dispatches the shard uses the following fields.
	failing store.Position // the event whose last delivery failed
	tries   int            // how many of its deliveries have failed
	swept   time.Time      // the time of the last search for expired queues
	log     *outage.Log    // of interruptions
}

// session is a worker's view of its shard, from one start to the next failure.
type session struct {
	*worker
	cursor  queue.Cursor // as Redis has it
	version int64
	queues  map[string]*queue.Queue
	indexes map[id.Org]*queueIndex
	rosters map[id.Org]*roster // each at the place of its organization's line
	loads   map[id.Org]*load   // of organizations that have no roster yet
	loading sync.WaitGroup
	loaded  chan struct{} // receives when a load has ended; its capacity is 1

	main        *line
	behind      []*line        // one for each organization that is behind; the first has the next turn
	rested      time.Time      // the earliest time of the next turn of an organization that is behind
	spent       map[id.Org]int // events and appends of each organization on the main line since it was last at the end of the log
	unreadSince time.Time      // since when the log may have events that the main line hasn't read; zero: it has none
	heldBack    bool           // an open transaction held back the next event when the main line was last read
}

// dispatch dispatches the shard until ctx ends or an operation fails. All its state comes from Redis and PostgreSQL, so
// it can always be called again.
func (w *worker) dispatch(ctx context.Context) error {
	cursor, err := Start(ctx, w.Log, w.Redis, w.shard)
	if err != nil {
		return err
	}
	if cursor, err = w.dropLacking(ctx, cursor); err != nil {
		return err
	}
	s := newSession(w, cursor)
	ctx, cancel := context.WithCancel(ctx)
	defer s.loading.Wait()
	defer cancel()
	if err := s.readRegistry(ctx); err != nil {
		return err
	}
	for ctx.Err() == nil {
		start := w.Now()
		if start.Sub(w.swept) >= sweepPeriod {
			if err := s.sweep(ctx); err != nil {
				return err
			}
			w.swept = start
			if err := s.noteReached(ctx, start); err != nil {
				return err
			}
		}
		full, more, err := s.read(ctx, start)
		if err == nil {
			err = s.deliver(ctx)
		}
		if err == nil && !full {
			err = s.await(ctx, start, more)
		}
		if err != nil {
			return err
		}
		w.log.Note(ctx, nil)
	}
	return nil
}

func newSession(w *worker, cursor queue.Cursor) *session {
	s := &session{worker: w, cursor: cursor, main: newLine(0, cursor.Place), spent: map[id.Org]int{}, loads: map[id.Org]*load{}, loaded: make(chan struct{}, 1)}
	for _, b := range cursor.Behind {
		s.behind = append(s.behind, newLine(b.Org, b.Place))
	}
	return s
}

// deliver appends the main line's events to their queues. After each of its calls to Redis, an organization that is behind
// has a turn.
func (s *session) deliver(ctx context.Context) error {
	for len(s.main.entries) > 0 {
		if err := s.advance(ctx, s.main); err != nil {
			return err
		}
		if err := s.turn(ctx); err != nil {
			return err
		}
	}
	return nil
}

// await waits until the main line must be read again. Meanwhile the organizations that are behind have their turns.
func (s *session) await(ctx context.Context, start time.Time, more bool) error {
	clear(s.spent)
	pause := idlePoll
	if more {
		pause = heldBackPause
	}
	due := s.Now().Add(pause)
	woken, err := s.turns(ctx, due, s.news)
	if err != nil {
		return err
	}
	if !woken {
		select {
		case <-ctx.Done():
		case <-time.After(due.Sub(s.Now())):
			if !more {
				err = s.checkCursor(ctx)
			}
		case <-s.news:
		}
		if err != nil {
			return err
		}
	}
	due = start.Add(s.gap())
	if _, err := s.turns(ctx, due, nil); err != nil {
		return err
	}
	if early := due.Sub(s.Now()); early > 0 {
		sleep(ctx, early)
	}
	return nil
}

// gap returns the minimum time between two reads of the log.
func (s *session) gap() time.Duration {
	if len(s.queues) == 0 {
		return unusedGap
	}
	return readGap
}

// checkCursor returns errOvertaken if the cursor isn't where this replica left it. If Redis has lost writes, queues
// lack events. The check restarts dispatching from Redis's cursor at once, rather than when the next event comes.
func (s *session) checkCursor(ctx context.Context) error {
	cursor, _, err := s.Redis.Cursor(ctx, s.shard)
	if err == nil && !cursor.Equal(s.cursor) {
		err = errOvertaken
	}
	return err
}

// noteOldest records when the oldest event that isn't dispatched was created, as far as this session knows.
func (s *session) noteOldest() {
	oldest := s.unreadSince
	note := func(at time.Time) {
		if !at.IsZero() && (oldest.IsZero() || at.Before(oldest)) {
			oldest = at
		}
	}
	note(s.main.oldest)
	for _, l := range s.behind {
		note(l.oldest)
	}
	if oldest.IsZero() {
		s.oldest.Store(0)
	} else {
		s.oldest.Store(oldest.UnixNano())
	}
}
