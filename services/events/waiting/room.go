package waiting

import (
	"context"
	"fmt"
	"iter"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel/metric"
	"golang.org/x/sync/errgroup"

	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/queue"
)

// Room holds the polls that wait at this replica, and answers them while [Room.Run] is running. It implements the
// methods of queue.Listener that aren't for the dispatcher. It is safe for concurrent use.
type Room struct {
	Deps

	woken    metric.Float64Histogram
	fair     *fair
	shards   []*shard
	came     atomic.Int64 // number of polls since the start
	draining atomic.Bool  // polls no longer wait
}

type shard struct {
	number int

	mutex sync.Mutex
	known map[string]*Queue // the queues that were recently polled here
	ask   backlog[*Poll]    // polls that Redis is to be asked about
	reads backlog[woken]    // polls whose event is to be read
}

// Deps are the dependencies of a room.
type Deps struct {
	Redis    *queue.Redis
	Payloads *Payloads
	Shards   int
	Replica  string       // the name of this process
	Meter    metric.Meter // measures the number of waiting polls, and the time until they are answered
	Now      func() time.Time
	Logger   *slog.Logger
}

// New returns a room without polls, which is started by [Room.Run].
func New(d Deps) (*Room, error) {
	room := &Room{Deps: d}
	room.fair = newFair(d.Now, room.answered)
	for number := range d.Shards {
		room.shards = append(room.shards, &shard{
			number: number, known: map[string]*Queue{},
			ask:   newBacklog(func(p *Poll) id.Org { return p.queue.Org }),
			reads: newBacklog(func(w woken) id.Org { return w.polls[0].queue.Org }),
		})
	}
	return room, room.measure()
}

func (r *Room) measure() (err error) {
	r.woken, err = r.Meter.Float64Histogram("chatserver.wakeup.duration", metric.WithUnit("s"),
		metric.WithDescription("Time from the beginning of an event's transaction to the response to the polls that wait for it."),
		metric.WithExplicitBucketBoundaries(.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10))
	if err != nil {
		return fmt.Errorf("measure wake-ups: %w", err)
	}
	_, err = r.Meter.Int64ObservableGauge("chatserver.polls.waiting", metric.WithDescription("Waiting long polls."),
		metric.WithInt64Callback(func(_ context.Context, o metric.Int64Observer) error {
			o.Observe(int64(r.Waiting()))
			return nil
		}))
	if err != nil {
		return fmt.Errorf("measure waiting polls: %w", err)
	}
	return nil
}

// each calls do for each shard, with its mutex held.
func (r *Room) each(do func(s *shard)) {
	for _, s := range r.shards {
		s.mutex.Lock()
		do(s)
		s.mutex.Unlock()
	}
}

// forget removes a queue. A poll that has an answer already can't wait again. The shard's mutex is held.
func (s *shard) forget(q *Queue) {
	delete(s.known, q.ID)
	q.turn++
}

// Waiting returns the number of waiting polls, without those that Redis is being asked about.
func (r *Room) Waiting() (count int) {
	r.each(func(s *shard) {
		for p := range s.waiting() {
			if !p.asking {
				count++
			}
		}
	})
	return count
}

// Run answers polls until ctx ends.
func (r *Room) Run(ctx context.Context) error {
	group, ctx := errgroup.WithContext(ctx)
	for _, s := range r.shards {
		group.Go(func() error { s.ask.work(ctx, &s.mutex, func(polls []*Poll) { r.askFor(ctx, s, polls) }); return nil })
		group.Go(func() error {
			s.reads.work(ctx, &s.mutex, func(some []woken) { r.readSome(ctx, s.number, some) })
			return nil
		})
	}
	group.Go(func() error { r.lookLoop(ctx); return nil })
	group.Go(func() error { return r.fair.run(ctx) })
	return group.Wait()
}

// waiting returns the polls that wait; the shard's mutex is held.
func (s *shard) waiting() iter.Seq[*Poll] {
	return func(yield func(*Poll) bool) {
		for _, q := range s.known {
			if q.poll != nil && !yield(q.poll) {
				return
			}
		}
	}
}
