package dispatch

import (
	"context"
	"errors"
	"log/slog"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/failpoint"
	"chatserver.dev/pkg/queue"
	"chatserver.dev/pkg/store"
	"chatserver.dev/services/events/activity"
)

const (
	// idlePoll is how long an event waits at most when its wake-up was lost.
	idlePoll = time.Second
	// logPeriod is how often the log's partitions are seen to.
	logPeriod = 10 * time.Minute
)

// Config is how the dispatcher works.
type Config struct {
	// LogKeep is how long events stay in the log, and so how long a client may be away.
	LogKeep time.Duration `env:"EVENT_LOG_KEEP" envDefault:"24h"`
}

// Fresh receives events that are about to be delivered, so that they needn't be fetched here.
type Fresh interface {
	Put(at store.Position, payload []byte, made time.Time) *event.Recorded
}

// Dispatcher works on those shards of the log whose leases this replica holds.
type Dispatcher struct {
	config     Config
	log        store.Log
	redis      *queue.Redis
	fresh      Fresh
	failpoints *failpoint.Set
	replica    string
	aside      func(ctx context.Context)
	now        func() time.Time
	logger     *slog.Logger

	shards []*worker
	share  atomic.Int64 // how many shards this replica takes where others want them, too
	keep   atomic.Int64 // how many it keeps where it has more
	held   atomic.Int64 // how many it has
	active activity.Recent
}

// Deps are what a dispatcher works with.
type Deps struct {
	Config     Config
	Log        store.Log
	Shards     int
	Redis      *queue.Redis
	Fresh      Fresh
	Failpoints *failpoint.Set // nil: none
	Replica    string         // this process's name
	// Aside, unless nil, is called for each event that can't be delivered and is put aside.
	Aside  func(ctx context.Context)
	Now    func() time.Time
	Logger *slog.Logger
}

// New makes a dispatcher; it works while Run does.
func New(d Deps) *Dispatcher {
	dispatcher := &Dispatcher{
		config: d.Config, log: d.Log, redis: d.Redis, fresh: d.Fresh, failpoints: d.Failpoints,
		replica: d.Replica, aside: d.Aside, now: d.Now, logger: d.Logger,
	}
	for shard := range d.Shards {
		dispatcher.shards = append(dispatcher.shards, &worker{
			Dispatcher: dispatcher, shard: shard, news: make(chan struct{}, 1), vacant: make(chan struct{}, 1),
		})
	}
	dispatcher.share.Store(int64(d.Shards))
	dispatcher.keep.Store(int64(d.Shards))
	return dispatcher
}

// Lags are how old the oldest event is that isn't dispatched yet, by shard, for the shards that are
// dispatched here.
func (d *Dispatcher) Lags() map[int]time.Duration {
	lags := map[int]time.Duration{}
	for _, w := range d.shards {
		if !w.leads.Load() {
			continue
		}
		lags[w.shard] = 0
		if oldest := w.oldest.Load(); oldest != 0 {
			lags[w.shard] = max(0, d.now().Sub(time.Unix(0, oldest)))
		}
	}
	return lags
}

// LogNews has the shard's log read soon, if its lease is held here.
func (d *Dispatcher) LogNews(shard int) { signal(d.shards[shard].news) }

// signal lets whoever receives from c know; c has room for one.
func signal(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// Run dispatches until ctx ends, then returns all leases up.
func (d *Dispatcher) Run(ctx context.Context) error {
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { d.takePart(ctx); return nil })
	group.Go(func() error { d.maintainLog(ctx); return nil })
	for _, w := range d.shards {
		group.Go(func() error { w.leaseLoop(ctx); return nil })
	}
	return group.Wait()
}

func (d *Dispatcher) maintainLog(ctx context.Context) {
	every(ctx, logPeriod, func() {
		if err := d.log.Maintain(ctx, d.config.LogKeep); err != nil {
			d.complain(ctx, "event log can't be maintained", err)
		}
	})
}

// every runs work at once and then periodically until ctx ends.
func every(ctx context.Context, period time.Duration, work func()) {
	ticker := time.NewTicker(period)
	defer ticker.Stop()
	for {
		work()
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// complain logs a failure that is tried again, unless it is only that ctx ended.
func (d *Dispatcher) complain(ctx context.Context, message string, err error) {
	if ctx.Err() == nil && !errors.Is(err, context.Canceled) {
		d.logger.WarnContext(ctx, message, slog.Any("error", err)) //nolint:sloglint // the callers' messages are static
	}
}

// sleep waits; it reports false where ctx ended first.
func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}
