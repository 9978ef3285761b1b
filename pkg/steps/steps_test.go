package steps_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/lists"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/steps"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/pkg/testbed"
)

// note is the event of a step.
type note struct {
	Step int `json:"step"`
}

func (note) Kind() event.Kind         { return event.Kind{Type: "note"} }
func (note) Audience() event.Audience { return event.Audience{} }

type countdown struct{ Done, Of int }

// world is an organization with a kind of change that emits an event in each step.
type world struct {
	db     *store.DB
	sql    *storetest.Session
	org    id.Org
	now    time.Time // by the clock for measuring steps
	kind   steps.Kind[countdown]
	runner *steps.Runner
	before func(step int) error // a step fails if this does
	failed int
}

func newWorld(t *testing.T) *world {
	t.Helper()
	db, url := storetest.OpenURL(t)
	w := &world{db: db, sql: storetest.Connect(t, url), before: func(int) error { return nil }}
	made, err := org.New(db, org.Config{}, time.Now).Create(t.Context(), org.Draft{Name: "Acme", Settings: org.Defaults()}, nil)
	if err != nil {
		t.Fatal(err)
	}
	w.org = made.ID
	w.kind = steps.NewKind("countdown", 1, 1, func(ctx context.Context, tx *store.Tx, c *countdown, _ *steps.Pace) (bool, error) {
		c.Done++
		if err := tx.Emit(ctx, note{c.Done}); err != nil {
			return false, err
		}
		return c.Done == c.Of, w.before(c.Done)
	})
	w.runner = steps.NewRunner(db, func() time.Time { return w.now }, func(context.Context, string) { w.failed++ }, testbed.Logger(t), w.kind)
	return w
}

func (w *world) begin(t *testing.T, of int) (change int64) {
	t.Helper()
	return w.beginIn(t, w.org, of)
}

func (w *world) beginIn(t *testing.T, in id.Org, of int) (change int64) {
	t.Helper()
	err := w.db.Write(t.Context(), in, func(tx *store.Tx) (err error) {
		change, err = w.kind.Begin(t.Context(), tx, countdown{Of: of})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return change
}

// due returns the changes to continue.
func (w *world) due(t *testing.T) []steps.Due {
	t.Helper()
	due, err := w.runner.Due(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return due
}

// resume makes the runner continue unfinished changes as if they had been idle for a while.
func (w *world) resume(t *testing.T) {
	t.Helper()
	w.sql.Exec("update changes set due_at = now() - interval '1 second'")
	for due := w.due(t); len(due) > 0; due = w.due(t) {
		for _, change := range due {
			w.runner.Continue(t.Context(), change)
		}
	}
}

func (w *world) has(t *testing.T, changes int, events ...string) {
	t.Helper()
	got := storetest.Values[string](w.sql, "select payload::jsonb ->> 'step' from event_log where type = 'note' order by xid, id")
	if diff := cmp.Diff(events, got); diff != "" {
		t.Errorf("steps in the log (-want +got):\n%s", diff)
	}
	if left := storetest.Values[int64](w.sql, "select count(*) from changes")[0]; left != int64(changes) {
		t.Errorf("%d changes are left, want %d", left, changes)
	}
}

var errBroken = errors.New("broken")

// A change whose process stops at any point continues there, and no step happens twice.
func TestEachStepIsDoneOnce(t *testing.T) {
	t.Parallel()
	for stops := range 4 {
		t.Run(fmt.Sprintf("stopped in step %d", stops+1), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			ctx, stop := context.WithCancel(t.Context())
			w.before = func(step int) error {
				if step == stops+1 {
					stop()
				}
				return ctx.Err()
			}
			if err := w.kind.Await(ctx, w.db, w.org, w.begin(t, 4), time.Now); !errors.Is(err, context.Canceled) {
				t.Fatalf("a change that was stopped: %v", err)
			}
			w.before = func(int) error { return nil }
			if due := w.due(t); len(due) > 0 {
				t.Errorf("%v is due already", due)
			}
			w.has(t, 1, []string{"1", "2", "3"}[:stops]...)
			w.resume(t)
			w.has(t, 0, "1", "2", "3", "4")
			w.resume(t)
			w.has(t, 0, "1", "2", "3", "4")
		})
	}
}

// Processes that work on the same change take turns.
func TestStepsTakeTurns(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	change := w.begin(t, 9)
	all := sync.WaitGroup{}
	for range 3 {
		all.Go(func() {
			if err := w.kind.Await(t.Context(), w.db, w.org, change, time.Now); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	w.has(t, 0, "1", "2", "3", "4", "5", "6", "7", "8", "9")
}

// A change with many steps stops after each second for changes of others. Changes of unknown kinds are left alone.
func TestChangesTakeTurns(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	other, err := org.New(w.db, org.Config{}, time.Now).Create(t.Context(), org.Draft{Subdomain: "other", Name: "Other", Settings: org.Defaults()}, nil)
	if err != nil {
		t.Fatal(err)
	}
	w.before = func(int) error {
		w.now = w.now.Add(400 * time.Millisecond)
		return nil
	}
	w.sql.Exec("insert into changes (org_id, kind, state, due_at) select $1, 'newer', '{}', now() - interval '1 day' from generate_series(1, 200)", w.org)
	long, second, others := w.begin(t, 6), w.begin(t, 1), w.beginIn(t, other.ID, 1)
	w.sql.Exec("update changes set due_at = now() - interval '1 hour' + make_interval(secs => change_id) where kind = 'countdown'")
	next := func(want ...int64) []steps.Due {
		t.Helper()
		due := w.due(t)
		if got := lists.Map(due, func(d steps.Due) int64 { return d.ChangeID }); !slices.Equal(got, want) {
			t.Errorf("the changes %v are due, want %v", got, want)
		}
		return due
	}
	if due := next(long, others); !w.runner.Continue(t.Context(), due[0]) {
		t.Error("it failed")
	}
	w.has(t, 203, "1", "2", "3", "4")
	for _, change := range next(second, others) {
		w.runner.Continue(t.Context(), change)
	}
	w.has(t, 201, "1", "2", "3", "4", "1", "1")
	w.runner.Continue(t.Context(), next(long)[0])
	w.has(t, 200, "1", "2", "3", "4", "1", "1", "5", "6")
	next()
}

// If the database fails, the change is stored already, and is completed later.
func TestDatabaseFails(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.before = func(step int) error {
		if step == 2 {
			return store.ErrUnavailable
		}
		return nil
	}
	if err := w.kind.Await(t.Context(), w.db, w.org, w.begin(t, 3), time.Now); err != nil {
		t.Errorf("the caller reads: %v", err)
	}
	w.has(t, 1, "1")
	w.before = func(int) error { return nil }
	w.resume(t)
	w.has(t, 0, "1", "2", "3")
}

// A step that always fails is retried a limited number of times, and doesn't delay other changes.
func TestFailingStepIsGivenUp(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.before = func(step int) error {
		if step == 2 {
			return errBroken
		}
		return nil
	}
	if err := w.kind.Await(t.Context(), w.db, w.org, w.begin(t, 3), time.Now); !errors.Is(err, errBroken) {
		t.Fatalf("a failing step: %v", err)
	}
	w.has(t, 1, "1")
	for range 2 * steps.MaxFailures {
		w.resume(t)
	}
	if w.failed != steps.MaxFailures {
		t.Errorf("tried %d times, want %d", w.failed, steps.MaxFailures)
	}
	w.begin(t, 1)
	w.resume(t)
	w.has(t, 1, "1", "1")
}
