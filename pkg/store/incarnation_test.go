package store_test

import (
	"errors"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"chatserver.dev/pkg/localserver"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/pkg/testbed"
)

func TestIncarnation(t *testing.T) {
	t.Parallel()
	one, two := newWorld(t), newWorld(t)
	names := []string{}
	for _, w := range []*world{one, one, two} {
		name, err := w.db.Log().Incarnation(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, name)
	}
	if names[0] != names[1] {
		t.Errorf("one database is %q and %q", names[0], names[1])
	}
	for name, want := range map[string]error{names[0]: nil, "another": store.ErrOtherHistory} {
		if _, _, err := one.db.Log().Of(name).Read(t.Context(), 1, store.Position{}, 1); !errors.Is(err, want) {
			t.Errorf("read as the log of %q: %v, want %v", name, err, want)
		}
		if _, err := one.db.Log().Of(name).ReadOf(t.Context(), 1, store.Position{}, store.Position{}, 1); !errors.Is(err, want) {
			t.Errorf("read as one organization's log of %q: %v, want %v", name, err, want)
		}
		if _, err := one.db.Log().Of(name).End(t.Context()); !errors.Is(err, want) {
			t.Errorf("end of the log of %q: %v, want %v", name, err, want)
		}
	}
	_, server, _ := strings.Cut(names[0], ".")
	if _, other, _ := strings.Cut(names[2], "."); server != other || len(server) < len("1.00000001") {
		t.Errorf("one server is %q and %q", server, other)
	}
}

// A dump that is restored on the server that it came from, into the same database, is another history.
func TestIncarnationOfRestoredDump(t *testing.T) {
	testbed.Slow(t)
	t.Parallel()
	server, dump := storetest.StartServer(t, localserver.Options{}), filepath.Join(t.TempDir(), "dump")
	url := server.URL("postgres")
	run := func(program string, args ...string) {
		t.Helper()
		if out, err := exec.CommandContext(t.Context(), filepath.Join(server.BinDir(), program), args...).CombinedOutput(); err != nil {
			t.Fatalf("%s: %v: %s", program, err, out)
		}
	}
	incarnation := func() string {
		t.Helper()
		db, err := store.Open(t.Context(), store.Config{URL: url, Connections: 2}, &waker{})
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		name, err := db.Log().Incarnation(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return name
	}
	run("pg_dump", "--format=custom", "--file="+dump, url)
	before := incarnation()
	run("pg_restore", "--clean", "--if-exists", "--dbname="+url, dump)
	after := incarnation()
	if !strings.HasPrefix(after, before+".") {
		t.Errorf("%s became %s", before, after)
	}
	run("pg_restore", "--clean", "--if-exists", "--dbname="+url, dump)
	if again := incarnation(); again == after || !strings.HasPrefix(again, before+".") {
		t.Errorf("%s and %s became %s", before, after, again)
	}
}
