package store

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
)

const (
	// replicaPeriod is how often a ReplicaWatch checks the replica.
	replicaPeriod = time.Second
	// maxLag is the lag from which a replica isn't used.
	maxLag = time.Second
	// maxUnreached is the maximum number of positions that a ReplicaWatch remembers, one per second of lag.
	maxUnreached = 3600
)

// errOtherServer reports that the replica isn't known to have the same history as the primary.
var errOtherServer = errors.New("it isn't a replica of the primary, or doesn't follow it yet after a failover")

// ReplicaWatch decides whether the replica is used, and measures it.
type ReplicaWatch struct {
	db     *DB
	now    func() time.Time
	logger *slog.Logger
	period time.Duration

	unreached []seenPosition // positions of the primary that the replica hasn't reached, the oldest first
	use       *use           // nil: the replica doesn't answer
	used      bool
	reported  bool
	lag       atomic.Int64 // time.Duration
}

type seenPosition struct {
	walPosition
	since time.Time
}

// NewReplicaWatch returns a watch. The replica is used while [ReplicaWatch.Run] runs. meter observes its lag, and the
// numbers of reads by outcome.
func NewReplicaWatch(db *DB, meter metric.Meter, now func() time.Time, logger *slog.Logger) (*ReplicaWatch, error) {
	w := &ReplicaWatch{db: db, now: now, logger: logger, period: replicaPeriod}
	if db.replica == nil {
		return w, nil
	}
	_, err := meter.Float64ObservableGauge("chatserver.database.replica.lag", metric.WithUnit("s"),
		metric.WithDescription("How far the replica of the database is behind the primary, to about a second."),
		metric.WithFloat64Callback(func(_ context.Context, o metric.Float64Observer) error {
			o.Observe(w.Lag().Seconds())
			return nil
		}))
	if err != nil {
		return nil, fmt.Errorf("measure the replica's lag: %w", err)
	}
	_, err = meter.Int64ObservableCounter("chatserver.database.replica.reads",
		metric.WithDescription("Reads that the replica may serve, by outcome: replica, or why the primary served them."),
		metric.WithInt64Callback(func(_ context.Context, o metric.Int64Observer) error {
			for outcome, n := range w.Reads() {
				o.Observe(n, metric.WithAttributes(attribute.String("outcome", outcome)))
			}
			return nil
		}))
	if err != nil {
		return nil, fmt.Errorf("count reads for the replica: %w", err)
	}
	return w, nil
}

// Run checks the replica each second until ctx ends. Then the replica is no longer used, and Run returns nil.
func (w *ReplicaWatch) Run(ctx context.Context) error {
	if w.db.replica == nil {
		<-ctx.Done()
		return nil
	}
	defer w.away()
	ticker := time.NewTicker(w.period)
	defer ticker.Stop()
	for {
		w.check(ctx)
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
	}
}

// check checks the replica once.
func (w *ReplicaWatch) check(ctx context.Context) {
	r := w.db.replica
	primary, err := query(ctx, r.primary, replicaAnswer, stateOf)
	if err != nil {
		return // without the primary's position, reads don't use the replica either
	}
	w.unreached = slices.DeleteFunc(w.unreached, func(s seenPosition) bool { return s.timeline != primary.timeline })
	if len(w.unreached) < maxUnreached {
		w.unreached = append(w.unreached, seenPosition{primary.walPosition, w.now()})
	}
	current, _, err := askOnce(ctx, r.watch, r.watch.answer, func(ctx context.Context, conn *pgx.Conn) (state, error) {
		return stateOf(ctx, queries(conn))
	})
	if ctx.Err() != nil {
		return
	}
	same := err == nil && current.database == primary.database
	for same && len(w.unreached) > 0 && current.has(w.unreached[0].walPosition) {
		w.unreached = w.unreached[1:]
	}
	lag := time.Duration(0)
	if len(w.unreached) > 0 {
		lag = w.now().Sub(w.unreached[0].since)
	}
	w.lag.Store(int64(lag))
	switch {
	case err != nil:
		w.away()
		w.report(ctx, false, err)
	case !same || current.timeline != primary.timeline:
		r.use.Store(nil)
		w.report(ctx, false, errOtherServer)
	case lag >= maxLag:
		r.use.Store(nil)
		w.report(ctx, false, errBehind)
	default:
		if w.use != nil && w.use.database != primary.database {
			w.away()
		}
		if w.use == nil {
			during, end := context.WithCancel(context.WithoutCancel(ctx))
			w.use = &use{during, primary.database, end}
		}
		r.use.Store(w.use)
		w.report(ctx, true, nil)
	}
}

// away ends the use of a replica that doesn't answer, and the reads on it.
func (w *ReplicaWatch) away() {
	w.db.replica.use.Store(nil)
	if w.use != nil {
		w.use.end()
		w.use = nil
	}
}

// report logs whether the replica is used, if that changed.
func (w *ReplicaWatch) report(ctx context.Context, used bool, why error) {
	switch {
	case used == w.used && w.reported:
	case used:
		w.logger.InfoContext(ctx, "the replica of the database is used")
	default:
		w.logger.WarnContext(ctx, "the replica of the database isn't used", slog.Any("error", why), slog.Duration("lag", w.Lag()))
	}
	w.used, w.reported = used, true
}

// Lag returns by how much the replica lags behind the primary, to about a second.
func (w *ReplicaWatch) Lag() time.Duration { return time.Duration(w.lag.Load()) }

// Reads returns the numbers of reads since the database was opened, by outcome.
func (w *ReplicaWatch) Reads() map[string]int64 {
	r := w.db.replica
	return map[string]int64{"replica": r.taken.Load(), "away": r.away.Load(), "behind": r.behind.Load(), "failed": r.failed.Load()}
}
