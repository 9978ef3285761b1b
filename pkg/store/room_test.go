package store_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/pkg/testbed"
)

// The check for room writes to the disk: more than PostgreSQL adds to its log at a time, and not much more.
func TestCheckLooksForRoom(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	name := pgx.Identifier{storetest.Values[string](w.session, "select current_database()")[0]}.Sanitize()
	for limit, want := range map[string]string{"20MB": "", "15MB": "temp_file_limit"} {
		w.session.Exec("alter database " + name + " set temp_file_limit = '" + limit + "'")
		db := w.reopen(store.Config{})
		if err := db.Check(t.Context()); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("with %s for temporary files: %v", limit, err)
		}
		if err := db.Check(t.Context()); err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("the second time: %v", err)
		}
	}
}

// Writes for which PostgreSQL has no room fail with a specific error.
func TestWritesOnFullDisk(t *testing.T) {
	testbed.Slow(t)
	t.Parallel()
	w := newWorld(t)
	org := w.org()
	sender, stream := w.users(org, 1)[0], w.streams(org, "a")[0]
	w.session.Exec("create function no_room() returns trigger language plpgsql as $$ begin raise sqlstate '53100'; end $$")
	w.session.Exec("create trigger no_room before insert on event_log for each row execute function no_room()")
	err := w.db.Write(t.Context(), org, func(tx *store.Tx) error { return tx.Emit(t.Context(), note{"lost"}) })
	if !errors.Is(err, store.ErrFull) {
		t.Errorf("a change fails with %v", err)
	}
	if _, _, err := w.db.Send(t.Context(), org, to(sender, stream, "lost")); !errors.Is(err, store.ErrFull) {
		t.Errorf("a message fails with %v", err)
	}
}
