// Package outage logs that work which is repeated fails, without a line for each attempt.
package outage

import (
	"context"
	"log/slog"
	"time"
)

// period is how often work that still fails is in the log.
const period = time.Minute

// Log logs the results of work that is repeated every few seconds: the first failure, then once a minute that it still fails, and that it
// succeeds again. Attempts are one after the other.
type Log struct {
	logger  *slog.Logger
	level   slog.Level
	failure string
	now     func() time.Time

	began    time.Time // when it has failed for the first time; zero: it succeeds
	logged   time.Time // the last line
	failures int       // since began
}

// NewLog returns the log of some work. Failures are logged at the level, with a message such as "failed to read pending mail".
func NewLog(logger *slog.Logger, level slog.Level, failure string, now func() time.Time) *Log {
	return &Log{logger: logger, level: level, failure: failure, now: now}
}

// Note logs the result of an attempt, if it is news. It ignores those that fail because ctx has ended.
func (l *Log) Note(ctx context.Context, err error) {
	now := l.now()
	switch {
	case ctx.Err() != nil:
	case err == nil && l.began.IsZero():
	case err == nil:
		l.logger.InfoContext(ctx, "work that failed succeeds again", slog.String("was", l.failure),
			slog.Int("failures", l.failures), slog.Duration("after", now.Sub(l.began)))
		l.began, l.failures = time.Time{}, 0
	case l.began.IsZero():
		l.began, l.logged, l.failures = now, now, 1
		l.logger.Log(ctx, l.level, l.failure, slog.Any("error", err)) //nolint:sloglint // the texts of the callers are static
	default:
		l.failures++
		if now.Sub(l.logged) < period {
			return
		}
		l.logged = now
		l.logger.Log(ctx, l.level, l.failure, slog.Any("error", err), //nolint:sloglint // as above
			slog.Int("failures", l.failures), slog.Duration("since", now.Sub(l.began)))
	}
}
