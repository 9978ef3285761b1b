package store_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5/pgconn"

	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/pkg/testbed"
)

func TestWriteWakesOnceAfterCommit(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	org := w.org()
	var seen []int64
	w.waker.look = func() { seen = append(seen, storetest.Values[int64](w.session, "select count(*) from event_log")...) }
	w.emit(org, "a", "b", "c")
	if diff := cmp.Diff([]int{w.db.Shard(org)}, w.waker.woken()); diff != "" {
		t.Errorf("woken (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]int64{3}, seen); diff != "" {
		t.Errorf("events seen by the reader that is woken (-want +got):\n%s", diff)
	}
	w.users(org, 1)
	if woken := w.waker.woken(); len(woken) > 0 {
		t.Errorf("woken without an event: %v", woken)
	}
}

func TestWriteThatFailsLeavesNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	org := w.org()
	failure := errors.New("no")
	calls := 0
	err := w.db.Write(t.Context(), org, func(tx *store.Tx) error {
		calls++
		if tx.Org() != org {
			t.Errorf("the transaction is of organization %d", tx.Org())
		}
		if err := tx.Emit(t.Context(), note{"lost"}); err != nil {
			return err
		}
		return failure
	})
	if !errors.Is(err, failure) || calls != 1 {
		t.Errorf("%d calls, error %v", calls, err)
	}
	func() {
		defer func() { _ = recover() }()
		_ = w.db.Write(t.Context(), org, func(tx *store.Tx) error {
			if err := tx.Emit(t.Context(), note{"lost"}); err != nil {
				return err
			}
			panic("a bug")
		})
	}()
	ctx, cancel := context.WithCancel(t.Context())
	err = w.db.Write(ctx, org, func(tx *store.Tx) error {
		defer cancel()
		return tx.Emit(ctx, note{"lost"})
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("a caller that went away: %v", err)
	}
	if entries := w.read(w.db.Shard(org), store.Position{}); len(entries) > 0 {
		t.Errorf("events of failed transactions: %v", texts(entries))
	}
	if woken := w.waker.woken(); len(woken) > 0 {
		t.Errorf("woken: %v", woken)
	}
	w.emit(org, "works still")
}

func TestWriteTriesAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	org := w.org()
	for _, test := range []struct {
		code            string
		failures, calls int
		fails           bool
	}{
		{"40001", 0, 1, false},
		{"40001", 2, 3, false},
		{"40P01", 4, 5, false},
		{"40001", 100, 5, true},
		{"23505", 1, 1, true},
	} {
		calls := 0
		err := w.db.Write(t.Context(), org, func(tx *store.Tx) error {
			calls++
			if err := tx.Emit(t.Context(), note{test.code}); err != nil {
				return err
			}
			if calls <= test.failures {
				return &pgconn.PgError{Code: test.code}
			}
			return nil
		})
		if calls != test.calls || (err != nil) != test.fails {
			t.Errorf("%s %d times: %d calls, error %v", test.code, test.failures, calls, err)
		}
	}
	want := []string{"40001", "40001", "40P01"}
	if diff := cmp.Diff(want, texts(w.read(w.db.Shard(org), store.Position{}))); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	if woken := w.waker.woken(); len(woken) != 3 {
		t.Errorf("woken %d times", len(woken))
	}
}

// Two transactions that take locks in opposite order both succeed eventually.
func TestWriteSurvivesDeadlock(t *testing.T) {
	testbed.Slow(t)
	t.Parallel()
	w := newWorld(t)
	org := w.org()
	met := sync.WaitGroup{}
	met.Add(2)
	results := make(chan error, 2)
	for _, order := range [][]id.Stream{{1, 2}, {2, 1}} {
		go func() {
			first := true
			results <- w.db.Write(t.Context(), org, func(tx *store.Tx) error {
				if err := tx.LockSubscriptions(t.Context(), order[0]); err != nil {
					return err
				}
				if first {
					first = false
					met.Done()
					met.Wait()
				}
				if err := tx.LockSubscriptions(t.Context(), order[1]); err != nil {
					return err
				}
				return tx.Emit(t.Context(), note{"done"})
			})
		}()
	}
	for range 2 {
		if err := <-results; err != nil {
			t.Error(err)
		}
	}
	if got := texts(w.read(w.db.Shard(org), store.Position{})); len(got) != 2 {
		t.Errorf("events %v", got)
	}
}

func TestReadSeesCommitsBetweenStatements(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	org := w.org()
	counts := []int{}
	err := w.db.Read(t.Context(), org, func(tx *store.Tx) error {
		for range 2 {
			users, err := tx.UsersAfter(t.Context(), 0, 100)
			if err != nil {
				return err
			}
			counts = append(counts, len(users))
			w.users(org, 2)
		}
		return nil
	})
	if diff := cmp.Diff([]int{0, 2}, counts); err != nil || diff != "" {
		t.Errorf("users (-want +got):\n%s%v", diff, err)
	}
}

func TestReadersWriteNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	org := w.org()
	write := func(tx *store.Tx) error { return tx.Emit(t.Context(), note{"no"}) }
	for name, err := range map[string]error{
		"Read":     w.db.Read(t.Context(), org, write),
		"Snapshot": w.db.Snapshot(t.Context(), org, func(tx *store.Tx, _ store.Snapshot) error { return write(tx) }),
	} {
		pg := (*pgconn.PgError)(nil)
		if !errors.As(err, &pg) || pg.Code != "25006" {
			t.Errorf("%s: %v, want that the transaction is read-only", name, err)
		}
	}
	if woken := w.waker.woken(); len(woken) > 0 {
		t.Errorf("woken: %v", woken)
	}
}

// Statements of a snapshot see one state, and the snapshot determines exactly which events belong to it.
func TestSnapshotIsOneState(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	org := w.org()
	shard := w.db.Shard(org)
	w.emit(org, "before")
	late := storetest.Connect(t, w.url)
	late.Exec("begin")
	late.Exec("insert into event_log (shard, org_id, type, payload, audience) values ($1, $2, 'note', '{\"text\":\"open\"}', '{}')", shard, org)
	var at store.Snapshot
	err := w.db.Snapshot(t.Context(), org, func(tx *store.Tx, snapshot store.Snapshot) error {
		at = snapshot
		w.emit(org, "after")
		w.users(org, 1)
		late.Exec("commit")
		users, err := tx.UsersAfter(t.Context(), 0, 100)
		if len(users) > 0 {
			t.Errorf("%d users that came later", len(users))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	contained := map[string]bool{}
	for _, e := range w.read(shard, store.Position{}) {
		contained[texts([]store.LogEntry{e})[0]] = at.Contains(e.Xid)
	}
	if diff := cmp.Diff(map[string]bool{"before": true, "open": false, "after": false}, contained); diff != "" {
		t.Errorf("contained (-want +got):\n%s", diff)
	}
}

// Send wakes the shard when it stores a message, and refuses a message whose facts have changed.
func TestSendChecksWhatWasDecided(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	org := w.org()
	user, stream := w.users(org, 1)[0], w.streams(org, "hall")[0]
	draft := store.NewMessage{
		Sender: user, Stream: stream, StreamVersion: 1, Topic: "t", Content: "x", Rendered: "<p>x</p>", Client: "Test",
		Payload: `"content":"x"},"raw":"x"}`, Audience: event.Audience{Subscribers: stream},
	}
	try := func(change func(*store.NewMessage), want bool) {
		t.Helper()
		m := draft
		change(&m)
		before := storetest.Values[int64](w.session, "select count(*) from messages")[0]
		_, ok, err := w.db.Send(t.Context(), org, m)
		stored := storetest.Values[int64](w.session, "select count(*) from messages")[0] - before
		if err != nil || ok != want || (stored == 1) != want || (len(w.waker.woken()) == 1) != want {
			t.Errorf("stored %v, %d rows, error %v, want %v", ok, stored, err, want)
		}
	}
	try(func(*store.NewMessage) {}, true)
	try(func(m *store.NewMessage) { m.StreamVersion = 2 }, false)
	try(func(m *store.NewMessage) { m.Stream = stream + 1000 }, false)
	try(func(m *store.NewMessage) { m.AccessBy = user }, false)
	if err := toggle(t.Context(), w.db, org, stream, user); err != nil {
		t.Fatal(err)
	}
	w.waker.woken()
	try(func(m *store.NewMessage) { m.AccessBy = user }, true)
	other := w.org()
	if _, ok, err := w.db.Send(t.Context(), other, draft); ok || err != nil {
		t.Errorf("another organization's stream: %v %v", ok, err)
	}
	w.session.Exec("update streams set deactivated = true")
	try(func(*store.NewMessage) {}, false)

	w.session.Exec("update streams set deactivated = false")
	err := w.db.Write(t.Context(), org, func(tx *store.Tx) error {
		sent, err := tx.Send(t.Context(), draft, draft)
		if err == nil && (len(sent) != 2 || sent[0] >= sent[1]) {
			t.Errorf("ids %v", sent)
		}
		return errors.Join(err, errors.New("rolled back"))
	})
	if err == nil || len(w.waker.woken()) > 0 || storetest.Values[int64](w.session, "select count(*) from messages")[0] != 2 {
		t.Errorf("a message of a transaction that failed was stored: %v", err)
	}
	changed := draft
	changed.StreamVersion = 2
	err = w.db.Write(t.Context(), org, func(tx *store.Tx) error {
		_, err := tx.Send(t.Context(), draft, changed)
		return err
	})
	if !errors.Is(err, store.ErrStale) || storetest.Values[int64](w.session, "select count(*) from messages")[0] != 2 {
		t.Errorf("a message beside one that is refused: %v", err)
	}
}

// However many transactions of an organization wait for locks, some connections are left for others.
func TestOrganizationsLeaveConnections(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	busy, other := w.org(), w.org()
	service := w.db.Connections()[0]
	began, released, calls := atomic.Int64{}, make(chan struct{}), sync.WaitGroup{}
	release := sync.OnceFunc(func() { close(released) })
	defer release()
	for range 2 * service.Max {
		calls.Go(func() {
			if err := w.db.Write(t.Context(), busy, func(*store.Tx) error {
				began.Add(1)
				<-released
				return nil
			}); err != nil {
				t.Error(err)
			}
		})
	}
	most := int64(service.Max * 3 / 4)
	testbed.Until(t, "transactions of the organization", func() bool { return began.Load() == most })
	w.users(other, 1)
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if err := w.db.Write(gone, busy, func(*store.Tx) error { return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("a caller that went away while it waited: %v", err)
	}
	if began.Load() != most {
		t.Errorf("%d transactions of one organization, with %d connections", began.Load(), service.Max)
	}
	release()
	calls.Wait()
	if began.Load() != int64(2*service.Max) {
		t.Errorf("%d transactions began", began.Load())
	}
}

// An organization with as many transactions as it may have waits only as long as for a free connection.
func TestTurnsEnd(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	busy, other := w.org(), w.org()
	db := w.reopen(store.Config{AnswerTimeout: 200 * time.Millisecond}) // two connections
	nothing := func(*store.Tx) error { return nil }
	err := db.Write(t.Context(), busy, func(*store.Tx) error {
		if err := db.Write(t.Context(), busy, nothing); !errors.Is(err, store.ErrUnavailable) {
			t.Errorf("another transaction of the organization: %v", err)
		}
		return db.Write(t.Context(), other, nothing)
	})
	if err != nil {
		t.Error(err)
	}
}
