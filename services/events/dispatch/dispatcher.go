package dispatch

import (
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/failpoint"
	"chatserver.dev/pkg/queue"
	"chatserver.dev/pkg/store"
)

const (
	// leaseLife is how long a shard stays with a replica that died.
	leaseLife = 3 * time.Second
	// leasePeriod is how often a lease is renewed, or tried for.
	leasePeriod = time.Second
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

// Fresh is told of events that are about to be delivered, so that they needn't be fetched here.
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
	share  atomic.Int64 // how many shards this replica should have
	held   atomic.Int64 // how many it has
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
		dispatcher.shards = append(dispatcher.shards, &worker{Dispatcher: dispatcher, shard: shard, news: make(chan struct{}, 1)})
	}
	dispatcher.share.Store(int64(d.Shards))
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
func (d *Dispatcher) LogNews(shard int) {
	select {
	case d.shards[shard].news <- struct{}{}:
	default:
	}
}

// Run dispatches until ctx ends, then gives all leases up.
func (d *Dispatcher) Run(ctx context.Context) error {
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { d.takePart(ctx); return nil })
	group.Go(func() error { d.maintainLog(ctx); return nil })
	for _, w := range d.shards {
		group.Go(func() error { w.leaseLoop(ctx); return nil })
	}
	return group.Wait()
}

// takePart notes that this replica lives, and works out its share of the shards.
func (d *Dispatcher) takePart(ctx context.Context) {
	every(ctx, leasePeriod, func() {
		replicas, err := d.redis.Join(ctx, d.replica, d.now(), leaseLife)
		if err != nil {
			d.complain(ctx, "replicas can't be counted", err)
			return
		}
		d.share.Store(int64((len(d.shards) + replicas - 1) / max(1, replicas)))
	})
	leave, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	if err := d.redis.Leave(leave, d.replica); err != nil {
		d.complain(leave, "replica can't take its leave", err)
	}
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

// leaseLoop tries for the shard's lease, and dispatches the shard while it holds it.
func (w *worker) leaseLoop(ctx context.Context) {
	for ctx.Err() == nil {
		if w.reserve() {
			got, err := w.redis.Lease(ctx, w.shard, w.replica, leaseLife)
			if err != nil {
				w.complain(ctx, "lease can't be taken", err)
			}
			if !got || !w.hold(ctx) {
				w.held.Add(-1)
			}
		}
		// Not in step with the other shards, which want the same last place in the share.
		sleep(ctx, leasePeriod/2+rand.N(leasePeriod)) //nolint:gosec // chance, not secrecy
	}
}

// reserve counts one more shard as held, unless this replica has its share.
func (d *Dispatcher) reserve() bool {
	for {
		held := d.held.Load()
		if held >= d.share.Load() {
			return false
		}
		if d.held.CompareAndSwap(held, held+1) {
			return true
		}
	}
}

// yield counts one shard less as held, if this replica has more than its share.
func (d *Dispatcher) yield() bool {
	for {
		held := d.held.Load()
		if held <= d.share.Load() {
			return false
		}
		if d.held.CompareAndSwap(held, held-1) {
			return true
		}
	}
}

// hold dispatches the shard for as long as its lease can be renewed. It reports whether it gave the
// shard up to another replica; held counts it no more then.
func (w *worker) hold(parent context.Context) (yielded bool) {
	ctx, cancel := context.WithCancel(parent)
	defer cancel()
	w.oldest.Store(0)
	w.leads.Store(true)
	defer w.leads.Store(false)
	renewing := sync.WaitGroup{}
	renewing.Go(func() {
		defer cancel()
		for sleep(ctx, leasePeriod) {
			if yielded = w.yield(); yielded {
				return // another replica came: leave it a shard
			}
			got, err := w.redis.Lease(ctx, w.shard, w.replica, leaseLife)
			if err != nil {
				w.complain(ctx, "lease can't be renewed", err)
			}
			if !got {
				return
			}
		}
	})
	for ctx.Err() == nil {
		if err := w.dispatch(ctx); err != nil {
			w.complain(ctx, "dispatching is interrupted", err)
			sleep(ctx, 100*time.Millisecond)
		}
	}
	renewing.Wait()
	release, stop := context.WithTimeout(context.WithoutCancel(parent), time.Second)
	defer stop()
	if err := w.redis.Release(release, w.shard, w.replica); err != nil {
		w.complain(release, "lease can't be given up", err)
	}
	return yielded
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
