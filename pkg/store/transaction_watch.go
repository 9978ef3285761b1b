package store

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"go.opentelemetry.io/otel/metric"

	"chatserver.dev/pkg/outage"
)

const (
	// oldestPeriod is how often a TransactionWatch queries the database.
	oldestPeriod = time.Second
	// tooOld is the age from which a TransactionWatch logs a transaction.
	tooOld = 10 * time.Second
)

// TransactionWatch watches the oldest open transaction that has written, in any database of the PostgreSQL server. The events of
// all organizations wait for it. It is safe for concurrent use.
type TransactionWatch struct {
	db     *DB
	now    func() time.Time
	logger *slog.Logger

	mutex    sync.Mutex
	xid      uint64 // 0: none
	since    time.Time
	reported bool
}

// NewTransactionWatch returns a watch, which starts with [TransactionWatch.Run]. meter observes the age.
func NewTransactionWatch(db *DB, meter metric.Meter, now func() time.Time, logger *slog.Logger) (*TransactionWatch, error) {
	watch := &TransactionWatch{db: db, now: now, logger: logger}
	_, err := meter.Float64ObservableGauge("chatserver.database.oldest_transaction.age", metric.WithUnit("s"),
		metric.WithDescription("How long the oldest open transaction with writes has delayed the delivery of events."),
		metric.WithFloat64Callback(func(_ context.Context, o metric.Float64Observer) error {
			o.Observe(watch.Age().Seconds())
			return nil
		}))
	if err != nil {
		return nil, fmt.Errorf("measure the oldest transaction: %w", err)
	}
	return watch, nil
}

// Run calls [TransactionWatch.Look] each second until ctx ends. Then it returns nil.
func (w *TransactionWatch) Run(ctx context.Context) error {
	ticker := time.NewTicker(oldestPeriod)
	defer ticker.Stop()
	log := outage.NewLog(w.logger, slog.LevelWarn, "failed to query the oldest transaction", w.now)
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
		log.Note(ctx, w.Look(ctx))
	}
}

// Look queries the database once. It logs a transaction that has been the oldest for ten seconds.
func (w *TransactionWatch) Look(ctx context.Context) error {
	xid, err := w.db.oldestTransaction(ctx)
	if err != nil {
		return err
	}
	w.mutex.Lock()
	defer w.mutex.Unlock()
	now := w.now()
	if xid != w.xid || xid == 0 {
		w.xid, w.since, w.reported = xid, now, false
	}
	if age := now.Sub(w.since); age >= tooOld && !w.reported {
		w.reported = true
		w.logger.WarnContext(ctx, "a transaction delays the delivery of events: look for its backend_xid in pg_stat_activity",
			slog.Uint64("xid", xid), slog.Duration("age", age))
	}
	return nil
}

// Age returns how long the current oldest transaction has been the oldest, to about a second; 0: there is none.
func (w *TransactionWatch) Age() time.Duration {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	if w.xid == 0 {
		return 0
	}
	return w.now().Sub(w.since)
}

// oldestTransaction returns the id of the oldest open transaction that has one, or 0. This needs no right to see other
// roles' sessions.
func (db *DB) oldestTransaction(ctx context.Context) (xid uint64, err error) {
	at, err := ask(ctx, db.everywhere, db.everywhere.answer, func(ctx context.Context, conn *pgx.Conn) (Snapshot, error) {
		return currentSnapshot(ctx, conn)
	})
	if err != nil || at.xmin == at.xmax {
		return 0, wrap(err, "ask for the oldest transaction")
	}
	return at.xmin, nil
}
