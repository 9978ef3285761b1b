package store_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/pkg/testbed"
)

// backends returns the processes of the database that serve requests.
func (w *world) backends() []int32 {
	w.t.Helper()
	return storetest.Values[int32](w.session, `select pid from pg_stat_activity
		where datname = current_database() and application_name = 'chatserver_service' order by pid`)
}

// leave begins a statement in a transaction, cancels its context while it runs, and returns its error and how long it
// took.
func (w *world) leave(statement string) (took time.Duration, err error) {
	w.t.Helper()
	org, watch := w.org(), storetest.Connect(w.t, w.url)
	ctx, cancel := context.WithCancel(w.t.Context())
	leaving := sync.WaitGroup{}
	defer leaving.Wait()
	defer cancel()
	leaving.Go(func() {
		defer cancel()
		for ctx.Err() == nil && !isRunning(watch, statement) { //nolint:contextcheck,nolintlint // a session has its test's; the linter finds that only where it has no cache
			time.Sleep(5 * time.Millisecond)
		}
	})
	start := time.Now()
	err = w.db.Read(ctx, org, func(tx *store.Tx) error { return tx.Execute(ctx, statement) })
	return time.Since(start), err
}

// isRunning reports whether a statement is running in the session's database.
func isRunning(watch *storetest.Session, statement string) bool {
	return len(storetest.Values[int32](watch, `select pid from pg_stat_activity
		where datname = current_database() and state = 'active' and pid <> pg_backend_pid() and query = $1`, statement)) > 0
}

// Callers whose context ends during a statement don't cause new connections to PostgreSQL, because the statement is
// left to end.
func TestAbandonedStatementEndsByItself(t *testing.T) {
	testbed.Slow(t)
	t.Parallel()
	w := newWorld(t)
	w.org()
	before := w.backends()
	for range 3 {
		if _, err := w.leave("select pg_sleep(0.9)"); !errors.Is(err, context.Canceled) {
			t.Errorf("%v, want that the caller went away", err)
		}
	}
	if after := w.backends(); len(before) == 0 || !slices.Equal(before, after) {
		t.Errorf("connections %v were %v", after, before)
	}
}

// A statement that would take long is ended together with its connection.
func TestAbandonedStatementIsEnded(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const statement = "select pg_sleep(60)"
	took, err := w.leave(statement)
	if err == nil || took > 30*time.Second {
		t.Errorf("%v after %v", err, took)
	}
	testbed.Until(t, "it is no longer running", func() bool { return !isRunning(w.session, statement) })
	if _, err := w.leave("select pg_sleep(0.9)"); !errors.Is(err, context.Canceled) {
		t.Errorf("afterwards: %v", err)
	}
}
