package store_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"go.opentelemetry.io/otel/metric/noop"

	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/pkg/testbed"
)

// A transaction that delays events is reported with its id and its age until it ends.
func TestOldestTransaction(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	clock, log := testbed.NewClock(time.Now()), &bytes.Buffer{}
	watch, err := store.NewTransactionWatch(w.db, noop.Meter{}, clock.Now, slog.New(slog.NewTextHandler(log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	if age := watch.Age(); age != 0 {
		t.Errorf("before the first look: %v", age)
	}
	w.session.Exec("begin")
	xid := storetest.Values[int64](w.session, "select pg_current_xact_id()::text::bigint")[0]
	other := storetest.Connect(t, w.url)
	report := fmt.Sprintf("xid=%d age=", xid)
	// Transactions of other tests may be older for a while.
	for deadline := time.Now().Add(30 * time.Second); !strings.Contains(log.String(), report); time.Sleep(time.Millisecond) {
		if err := watch.Look(t.Context()); err != nil {
			t.Fatal(err)
		}
		clock.Advance(time.Second)
		other.Exec("select pg_current_xact_id()") // until another transaction ends, it delays nothing
		if time.Now().After(deadline) {
			t.Fatalf("nothing is reported of transaction %d: %s", xid, log)
		}
	}
	if age := watch.Age(); age < 10*time.Second {
		t.Errorf("age %v", age)
	}
	if err := watch.Look(t.Context()); err != nil || strings.Count(log.String(), report) != 1 {
		t.Errorf("looked once more, %v: %s", err, log)
	}
	w.session.Exec("rollback")
	if err := watch.Look(t.Context()); err != nil || watch.Age() != 0 {
		t.Errorf("after its end: %v, %v", watch.Age(), err)
	}
}
