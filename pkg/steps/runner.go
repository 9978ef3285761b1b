package steps

import (
	"context"
	"log/slog"
	"time"

	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/store/sqlc"
)

const (
	// MaxFailures is the maximum number of consecutive failures of a step. After that, its change isn't continued.
	MaxFailures = 10
	// pollPeriod is the interval between checks for changes to continue.
	pollPeriod = 5 * time.Second
	// maxPause is the maximum time between two attempts. It doubles after each attempt.
	maxPause = 10 * time.Minute
)

// Resumable is any [Kind].
type Resumable interface {
	Name() string
	Finish(ctx context.Context, db *store.DB, org id.Org, change int64, now func() time.Time) error
}

// Runner continues changes that were interrupted.
type Runner struct {
	db     *store.DB
	now    func() time.Time
	kinds  map[string]Resumable
	failed func(ctx context.Context, kind string)
	logger *slog.Logger
}

// NewRunner makes a runner of changes of some kinds. now is the clock for measuring steps. The runner calls failed
// for each failed step.
func NewRunner(
	db *store.DB, now func() time.Time, failed func(ctx context.Context, kind string), logger *slog.Logger, kinds ...Resumable,
) *Runner {
	r := &Runner{db: db, now: now, kinds: map[string]Resumable{}, failed: failed, logger: logger}
	for _, kind := range kinds {
		r.kinds[kind.Name()] = kind
	}
	return r
}

// Run continues changes until ctx ends.
func (r *Runner) Run(ctx context.Context) error {
	ticker := time.NewTicker(pollPeriod)
	defer ticker.Stop()
	for {
		if err := r.Resume(ctx); err != nil && ctx.Err() == nil {
			r.logger.ErrorContext(ctx, "failed to read unfinished changes", slog.Any("error", err))
		}
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
	}
}

// Resume continues the changes that are due, each until it is complete or fails.
func (r *Runner) Resume(ctx context.Context) error {
	due, err := r.db.DueChanges(ctx, MaxFailures)
	if err != nil {
		return err
	}
	for _, change := range due {
		kind := r.kinds[change.Kind]
		if kind == nil {
			continue // a kind of a newer release
		}
		if err := kind.Finish(ctx, r.db, change.OrgID, change.ChangeID, r.now); err != nil && ctx.Err() == nil {
			r.postpone(ctx, change, err)
		}
	}
	return ctx.Err()
}

// postpone schedules another attempt of a failed change, or stops it for good.
func (r *Runner) postpone(ctx context.Context, change sqlc.DueChangesRow, err error) {
	r.failed(ctx, change.Kind)
	r.logger.ErrorContext(ctx, "step of a change failed", slog.Int64("org", int64(change.OrgID)), slog.Int64("change", change.ChangeID),
		slog.String("kind", change.Kind), slog.Bool("given_up", change.Failures+1 >= MaxFailures), slog.Any("error", err))
	pause := min(idle<<change.Failures, maxPause)
	err = r.db.Write(ctx, change.OrgID, func(tx *store.Tx) error { return tx.PostponeChange(ctx, pause.Seconds(), change.ChangeID) })
	if err != nil {
		r.logger.ErrorContext(ctx, "failed to postpone a change", slog.Int64("change", change.ChangeID), slog.Any("error", err))
	}
}
