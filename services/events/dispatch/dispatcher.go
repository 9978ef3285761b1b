package dispatch

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"
	"golang.org/x/sync/errgroup"

	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/failpoint"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/outage"
	"chatserver.dev/pkg/queue"
	"chatserver.dev/pkg/store"
	"chatserver.dev/services/events/activity"
)

// idlePoll is the longest time that an event waits if its wake-up is lost.
const idlePoll = time.Second

// Config configures the dispatcher.
type Config struct {
	// LogKeep is how long events stay in the log, and so how long a client may be disconnected without losing its
	// queue.
	LogKeep time.Duration `env:"EVENT_LOG_KEEP" envDefault:"24h"`
}

// PayloadCache keeps payloads of events that are about to be delivered, so that polls at this replica don't have to
// fetch them.
type PayloadCache interface {
	Put(at store.Position, org id.Org, payload []byte, made time.Time) *event.Recorded
}

// Deps are the dependencies of a dispatcher.
type Deps struct {
	Config     Config
	Log        store.Log
	Shards     int
	Redis      *queue.Redis
	Payloads   PayloadCache
	Failpoints *failpoint.Set // nil: none
	Replica    string         // the name of this process
	Host       string         // the name of the server's root domain
	Meter      metric.Meter   // measures the lag of each shard, and counts events that are put aside
	Tracer     trace.Tracer   // records when an event is in its queues, as a span of the call that recorded it; nil: off
	Now        func() time.Time
	Logger     *slog.Logger
}

// Dispatcher works on those shards of the log whose leases this replica holds.
type Dispatcher struct {
	Deps

	aside  metric.Int64Counter
	shards []*worker
	share  atomic.Int64 // the maximum number of shards while other replicas request more
	keep   atomic.Int64 // the number of shards above which it yields some to other replicas
	held   atomic.Int64 // the number of shards that it has
	active activity.Recent
	reads  chan struct{} // has an element for each roster that is being read
}

// New returns a dispatcher, which is started by [Dispatcher.Run].
func New(d Deps) (*Dispatcher, error) {
	if d.Config.LogKeep <= 0 {
		return nil, errors.New("EVENT_LOG_KEEP must be more than 0s")
	}
	dispatcher := &Dispatcher{Deps: d, reads: make(chan struct{}, maxReads)}
	for shard := range d.Shards {
		dispatcher.shards = append(dispatcher.shards, &worker{
			Dispatcher: dispatcher, shard: shard, news: make(chan struct{}, 1), vacant: make(chan struct{}, 1), swept: d.Now(),
			log: outage.NewLog(d.Logger.With(slog.Int("shard", shard)), slog.LevelWarn, "dispatching is interrupted", d.Now),
		})
	}
	dispatcher.share.Store(int64(d.Shards))
	dispatcher.keep.Store(int64(d.Shards))
	return dispatcher, dispatcher.measure()
}

func (d *Dispatcher) measure() (err error) {
	d.aside, err = d.Meter.Int64Counter("chatserver.events.undeliverable",
		metric.WithDescription("Events that couldn't be delivered and were put aside; each is an error in the log."))
	if err != nil {
		return fmt.Errorf("count events that can't be delivered: %w", err)
	}
	_, err = d.Meter.Float64ObservableGauge("chatserver.log.lag", metric.WithUnit("s"),
		metric.WithDescription("Age of the oldest event that isn't dispatched, for each shard that this process dispatches."),
		metric.WithFloat64Callback(func(_ context.Context, o metric.Float64Observer) error {
			for shard, lag := range d.Lags() {
				o.Observe(lag.Seconds(), metric.WithAttributes(attribute.Int("shard", shard)))
			}
			return nil
		}))
	if err != nil {
		return fmt.Errorf("measure the lag of the event log: %w", err)
	}
	return nil
}

// Lags returns the age of the oldest event that isn't dispatched yet, for each shard that this replica
// dispatches.
func (d *Dispatcher) Lags() map[int]time.Duration {
	lags := map[int]time.Duration{}
	for _, w := range d.shards {
		if !w.leads.Load() {
			continue
		}
		lags[w.shard] = 0
		if oldest := w.oldest.Load(); oldest != 0 {
			lags[w.shard] = max(0, d.Now().Sub(time.Unix(0, oldest)))
		}
	}
	return lags
}

// LogNews notifies the dispatcher that the shard's log has new events. It reads them soon if this replica has the
// lease.
func (d *Dispatcher) LogNews(shard int) { signal(d.shards[shard].news) }

// signal wakes the receiver of c, whose capacity is 1. It doesn't block.
func signal(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// Run dispatches until ctx ends, and then releases all leases.
func (d *Dispatcher) Run(ctx context.Context) error {
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { d.takePart(ctx); return nil })
	group.Go(func() error { d.maintainLog(ctx); return nil })
	group.Go(func() error { d.noteUse(ctx); return nil })
	for _, w := range d.shards {
		group.Go(func() error { w.leaseLoop(ctx); return nil })
	}
	return group.Wait()
}

// complain logs an error that is retried, unless the end of ctx is its cause.
func (d *Dispatcher) complain(ctx context.Context, message string, err error) {
	if ctx.Err() == nil && !errors.Is(err, context.Canceled) {
		d.Logger.WarnContext(ctx, message, slog.Any("error", err)) //nolint:sloglint // the callers' messages are static
	}
}

// sleep waits, and returns false if ctx ended first.
func sleep(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}
