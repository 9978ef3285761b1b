package steps

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"time"

	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/lists"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/store/sqlc"
)

const (
	// MaxFailures is the maximum number of consecutive failures of a step. After that, its change isn't continued.
	MaxFailures = 10
	// maxPause is the maximum time between two attempts. It doubles after each attempt.
	maxPause = 10 * time.Minute
)

// Resumable is any [Kind].
type Resumable interface {
	Name() string
	Continue(ctx context.Context, db *store.DB, org id.Org, change int64, now func() time.Time) error
}

// Due is a change that nobody has continued in time.
type Due sqlc.DueChangesRow

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

// Due returns the changes to continue next, one of each organization. There may be others, of kinds of a newer release.
func (r *Runner) Due(ctx context.Context) ([]Due, error) {
	rows, err := r.db.DueChanges(ctx, MaxFailures, slices.Collect(maps.Keys(r.kinds)))
	return lists.Map(rows, func(row sqlc.DueChangesRow) Due { return Due(row) }), err
}

// Continue performs steps of a change for about a second, unless it is complete before. It reports whether they succeeded.
// If several processes continue the same change, they take turns.
func (r *Runner) Continue(ctx context.Context, change Due) bool {
	err := r.kinds[change.Kind].Continue(ctx, r.db, change.OrgID, change.ChangeID, r.now)
	if err != nil && ctx.Err() == nil {
		r.postpone(ctx, change, err)
	}
	return err == nil
}

// postpone schedules another attempt of a failed change, or stops it for good.
func (r *Runner) postpone(ctx context.Context, change Due, err error) {
	r.failed(ctx, change.Kind)
	r.logger.ErrorContext(ctx, "step of a change failed", slog.Int64("org", int64(change.OrgID)), slog.Int64("change", change.ChangeID),
		slog.String("kind", change.Kind), slog.Bool("given_up", change.Failures+1 >= MaxFailures), slog.Any("error", err))
	pause := min(idle<<change.Failures, maxPause)
	err = r.db.Write(ctx, change.OrgID, func(tx *store.Tx) error { return tx.PostponeChange(ctx, pause.Seconds(), change.ChangeID) })
	if err != nil {
		r.logger.ErrorContext(ctx, "failed to postpone a change", slog.Int64("change", change.ChangeID), slog.Any("error", err))
	}
}
