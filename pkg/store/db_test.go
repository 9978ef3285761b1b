package store_test

import (
	"cmp"
	"context"
	"errors"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/storetest"
)

// reopen opens the world's database again.
func (w *world) reopen(config store.Config) *store.DB {
	w.t.Helper()
	config.URL, config.Connections, config.Logins = w.url, cmp.Or(config.Connections, 2), storetest.Logins()
	db, err := store.Open(w.t.Context(), config, w.waker)
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(db.Close)
	return db
}

// The server also limits transactions itself, a little later than their statements.
func TestTransactionTimeout(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	org := w.org()
	db := w.reopen(store.Config{StatementTimeout: 30 * time.Second, AnswerTimeout: 3 * time.Second})
	got := ""
	err := db.Write(t.Context(), org, func(tx *store.Tx) (err error) {
		got, err = tx.Setting(t.Context(), "transaction_timeout")
		return err
	})
	want := ""
	if storetest.Values[bool](w.session, "select current_setting('server_version_num')::integer >= 170000")[0] {
		want = "33s"
	}
	if err != nil || got != want {
		t.Errorf("transaction_timeout %q, want %q (%v)", got, want, err)
	}
}

func TestStatementTimeout(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	org := w.org()
	db := w.reopen(store.Config{StatementTimeout: 200 * time.Millisecond, IdleTimeout: time.Minute})
	w.session.Exec("select pg_advisory_lock(7)")
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	err := db.Write(ctx, org, func(tx *store.Tx) error { return tx.LockSubscriptions(ctx, 7) })
	pg := (*pgconn.PgError)(nil)
	if !errors.As(err, &pg) || pg.Code != "57014" {
		t.Errorf("a statement that takes too long: %v", err)
	}
	// The same is true of a message: nothing can make a sender wait forever.
	if _, _, err := db.Send(ctx, org, store.NewMessage{Stream: 7, StreamVersion: 1}); !errors.As(err, &pg) || pg.Code != "57014" {
		t.Errorf("a message that takes too long: %v", err)
	}
}

// An idle transaction is ended, so that it doesn't delay all events.
func TestIdleTransactionTimeout(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	org := w.org()
	db := w.reopen(store.Config{StatementTimeout: time.Minute, IdleTimeout: 200 * time.Millisecond})
	err := db.Write(t.Context(), org, func(tx *store.Tx) error {
		if err := tx.Emit(t.Context(), note{"too slow"}); err != nil {
			return err
		}
		time.Sleep(time.Second)
		return nil
	})
	if err == nil {
		t.Error("the transaction lived on")
	}
	w.emit(org, "next")
	if got := texts(w.read(w.db.Shard(org), store.Position{})); len(got) != 1 || got[0] != "next" {
		t.Errorf("events %v", got)
	}
	if err := db.Ping(t.Context()); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}

// Connections have a name with their purpose, and their number is limited.
func TestConnections(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	org := w.org()
	db := w.reopen(store.Config{})
	inside := make(chan struct{}, 3)
	leave := make(chan struct{})
	for i := range id.Org(3) {
		go func() {
			_ = db.Read(t.Context(), org+i, func(*store.Tx) error {
				inside <- struct{}{}
				<-leave
				return nil
			})
		}()
	}
	<-inside
	<-inside
	select {
	case <-inside:
		t.Error("three transactions run on two connections")
	case <-time.After(200 * time.Millisecond):
	}
	names := storetest.Values[string](w.session, `select distinct application_name from pg_stat_activity
		where datname = current_database() and application_name like 'chatserver%' order by 1`)
	if len(names) != 2 || names[0] != "chatserver_everywhere" || names[1] != "chatserver_service" {
		t.Errorf("names of connections: %v", names)
	}
	close(leave)
	<-inside
}
