package outage_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"chatserver.dev/pkg/outage"
)

// newLog returns a log, a function that returns what it has logged since the last call, and its clock.
func newLog() (log *outage.Log, lines func() []string, now *time.Time) {
	out, now := &strings.Builder{}, new(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
	logger := slog.New(slog.NewTextHandler(out, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}}))
	log = outage.NewLog(logger, slog.LevelWarn, "failed to work", func() time.Time { return *now })
	return log, func() (all []string) {
		defer out.Reset()
		return append(all, strings.FieldsFunc(out.String(), func(r rune) bool { return r == '\n' })...)
	}, now
}

func TestOutageIsLoggedOnceAMinute(t *testing.T) {
	log, lines, now := newLog()
	attempt := func(err error, want ...string) {
		t.Helper()
		log.Note(t.Context(), err)
		if diff := cmp.Diff(want, lines()); diff != "" {
			t.Error(diff)
		}
		*now = now.Add(time.Second)
	}
	away := errors.New("no database")
	attempt(nil)
	attempt(away, `level=WARN msg="failed to work" error="no database"`)
	for range 59 {
		attempt(away)
	}
	attempt(errors.New("timeout"), `level=WARN msg="failed to work" error=timeout failures=61 since=1m0s`)
	for range 59 {
		attempt(away)
	}
	attempt(away, `level=WARN msg="failed to work" error="no database" failures=121 since=2m0s`)
	attempt(nil, `level=INFO msg="work that failed succeeds again" was="failed to work" failures=121 after=2m1s`)
	attempt(nil)
	attempt(away, `level=WARN msg="failed to work" error="no database"`) // another outage
	attempt(nil, `level=INFO msg="work that failed succeeds again" was="failed to work" failures=1 after=1s`)
}

func TestEndIsNoFailure(t *testing.T) {
	log, lines, _ := newLog()
	ctx, end := context.WithCancel(t.Context())
	end()
	log.Note(ctx, context.Canceled)
	if got := lines(); len(got) != 0 {
		t.Error(got)
	}
}
