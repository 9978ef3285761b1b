package boot_test

import (
	"io"
	"strings"
	"testing"

	"chatserver.dev/pkg/boot"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/storetest"
)

// A program doesn't start with the database of another server that runs, and its check says so. A server that only gets another host
// or another Redis is no other one.
func TestDatabaseOfAnotherServer(t *testing.T) {
	t.Parallel()
	db, database := storetest.OpenURL(t)
	address, redis := openRedis(t)
	id, err := redis.MakeID(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	environ := []string{"DATABASE_URL=" + database, "REDIS_URL=" + address, "EXTERNAL_HOST=chat.example"}
	check := func() error {
		return boot.Check(t.Context(), nil, environ, io.Discard, boot.Program{Name: "test"})
	}
	for _, by := range []store.Server{{Host: "old.example", Redis: id}, {Host: "chat.example", Redis: id}, {Host: "chat.example", Redis: "old"}} {
		if noted, err := db.Log().NoteUse(t.Context(), by); err != nil || !noted {
			t.Fatal(noted, err)
		}
		if err := check(); err != nil {
			t.Errorf("%+v: %v", by, err)
		}
	}
	theirs := store.Server{Host: "staging.example", Redis: "theirs"}
	if noted, err := db.Log().NoteUse(t.Context(), theirs); err != nil || noted {
		t.Errorf("another server takes the database while this one uses it: %v", err)
	}
	session := storetest.Connect(t, database)
	session.Exec("update installation set used_at = now() - interval '3 minutes'")
	if noted, err := db.Log().NoteUse(t.Context(), theirs); err != nil || !noted {
		t.Errorf("a server that has stopped keeps others out: %v", err)
	}
	for name, err := range map[string]error{"check": check(), "run": boot.Run(t.Context(), environ, &output{}, boot.Program{Name: "test"})} {
		if err == nil || !strings.Contains(err.Error(), "another server, staging.example, uses the same database: correct DATABASE_URL") {
			t.Errorf("%s: %v", name, err)
		}
	}
	session.Exec("update installation set used_at = now() - interval '3 minutes'")
	if err := check(); err != nil {
		t.Errorf("a server that has stopped keeps others out: %v", err)
	}
}
