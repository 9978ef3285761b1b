package file_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"

	"chatserver.dev/pkg/blob"
	"chatserver.dev/pkg/file"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/pkg/testbed"
)

var (
	errRefused = errors.New("refused")
	errCut     = errors.New("the connection was cut")
	errDisk    = errors.New("the disk is broken")
)

// world is an organization and a storage that can be broken.
type world struct {
	t      *testing.T
	db     *store.DB
	sql    *storetest.Session
	org    id.Org
	dir    string
	store  *file.Store
	broken bool // neither opens nor removes
}

// storage is a folder that fails when the test sets it to.
type storage struct {
	*blob.Folder
	w *world
}

func (s storage) Put(ctx context.Context, name string, from io.Reader) (int64, error) {
	if s.w.broken {
		return 0, errDisk
	}
	return s.Folder.Put(ctx, name, from)
}

func (s storage) Open(ctx context.Context, name string) (blob.File, error) {
	if s.w.broken {
		return nil, errDisk
	}
	return s.Folder.Open(ctx, name)
}

func (s storage) Remove(ctx context.Context, name string) error {
	if s.w.broken {
		return errDisk
	}
	return s.Folder.Remove(ctx, name)
}

func newWorld(t *testing.T) *world {
	t.Helper()
	db, url := storetest.OpenURL(t)
	w := &world{t: t, db: db, sql: storetest.Connect(t, url), dir: t.TempDir()}
	made, err := org.New(db, org.Config{}, time.Now).Create(t.Context(), org.Draft{Name: "Acme", Settings: org.Defaults()}, nil)
	if err != nil {
		t.Fatal(err)
	}
	w.org = made.ID
	folder, err := blob.OpenFolder(w.dir)
	if err != nil {
		t.Fatal(err)
	}
	w.store = file.New(db, storage{folder, w}, testbed.Logger(t))
	return w
}

// keep stores a text and returns its path.
func (w *world) keep(content string) string {
	w.t.Helper()
	path := ""
	err := w.store.Save(w.t.Context(), w.org, strings.NewReader(content), func(tx *store.Tx, saved file.Saved) error {
		path = saved.Path
		return file.Add(w.t.Context(), tx, saved)
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return path
}

// has fails the test unless the storage has a number of files, and the database numbers of saved and unsaved ones.
func (w *world) has(what string, stored, saved, unsaved int) {
	w.t.Helper()
	found := 0
	err := filepath.WalkDir(w.dir, func(_ string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Type().IsRegular() {
			found++
		}
		return err
	})
	if err != nil {
		w.t.Fatal(err)
	}
	rows := storetest.Rows[struct{ Kept, Unkept int }](w.sql, "select (select count(*) from files), (select count(*) from unkept_files)")[0]
	if diff := cmp.Diff([]int{stored, saved, unsaved}, []int{found, rows.Kept, rows.Unkept}); diff != "" {
		w.t.Errorf("%s: files in the storage, saved, and not saved (-want +got):\n%s", what, diff)
	}
}

func (w *world) clean() {
	w.t.Helper()
	if err := w.store.Clean(w.t.Context()); err != nil {
		w.t.Error(err)
	}
}

func TestKeep(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	path := w.keep("steam")
	if !regexp.MustCompile(`^` + fmt.Sprint(w.org) + `/[a-z2-7]{2}/[a-z2-7]{26}$`).MatchString(path) {
		t.Errorf("it is at %q", path)
	}
	if size := storetest.Values[int64](w.sql, "select size from files where path = $1", path); len(size) != 1 || size[0] != 5 {
		t.Errorf("sizes %v", size)
	}
	opened, err := w.store.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer opened.Close()
	if content, err := io.ReadAll(opened); string(content) != "steam" || err != nil {
		t.Errorf("%q, %v", content, err)
	}
	if _, err := w.store.Open(t.Context(), path+"x"); !errors.Is(err, blob.ErrNotFound) {
		t.Errorf("another file: %v", err)
	}
	w.clean()
	w.has("a file that is saved", 1, 1, 0)
}

// A file that is refused, isn't read completely or can't be stored isn't saved, and is soon removed from the storage.
func TestNotKept(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	refused := func(*store.Tx, file.Saved) error { return errRefused }
	for what, c := range map[string]struct {
		from   io.Reader
		broken bool
		want   error
		stored int
	}{
		"refused":  {strings.NewReader("x"), false, errRefused, 1},
		"cut":      {io.MultiReader(strings.NewReader("x"), iotest.ErrReader(errCut)), false, errCut, 0},
		"no space": {strings.NewReader("x"), true, file.ErrUnavailable, 0},
	} {
		w.broken = c.broken
		if err := w.store.Save(t.Context(), w.org, c.from, refused); !errors.Is(err, c.want) {
			t.Errorf("%s: %v", what, err)
		}
		w.broken = false
		w.has(what, c.stored, 0, 1)
		w.clean()
		w.has(what+", later", 0, 0, 0)
	}
	if err := file.New(w.db, nil, testbed.Logger(t)).Save(t.Context(), w.org, strings.NewReader("x"), refused); !errors.Is(err, file.ErrNone) {
		t.Errorf("without a storage: %v", err)
	}
	if _, err := file.New(w.db, nil, testbed.Logger(t)).Open(t.Context(), "x"); !errors.Is(err, file.ErrNone) {
		t.Errorf("without a storage: %v", err)
	}
	path := w.keep("x")
	w.broken = true
	if _, err := w.store.Open(t.Context(), path); !errors.Is(err, file.ErrUnavailable) {
		t.Errorf("a storage that is broken: %v", err)
	}
}

// A process that ends between the storage and the transaction leaves a file that is removed an hour later, but not
// earlier, because it may be saved until then. A file that is about to be removed can't be saved anymore.
func TestAbandoned(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	done := make(chan error)
	in, out := io.Pipe()
	go func() {
		done <- w.store.Save(t.Context(), w.org, in, func(tx *store.Tx, saved file.Saved) error { return file.Add(t.Context(), tx, saved) })
	}()
	if _, err := out.Write([]byte("slow")); err != nil {
		t.Fatal(err)
	}
	w.clean()
	if left := storetest.Values[float64](w.sql, "select extract(epoch from due_at - now())::float8 from unkept_files"); len(left) != 1 || left[0] < 3500 || left[0] > 3600 {
		t.Errorf("it is removed in %v seconds", left)
	}
	w.sql.Exec("update unkept_files set due_at = now()")
	w.clean()
	_ = out.Close()
	if err := <-done; err == nil {
		t.Error("a removed file was saved")
	}
	w.clean()
	w.has("a file that came late", 0, 0, 0)

	err := w.store.Save(t.Context(), w.org, strings.NewReader("x"), func(tx *store.Tx, saved file.Saved) error {
		w.sql.Exec("delete from unkept_files") // it was due before it was in the storage
		return file.Add(t.Context(), tx, saved)
	})
	if err == nil {
		t.Error("a file that may have been removed was saved")
	}
	w.clean()
	w.has("a file that came later still", 0, 0, 0)
}

// A dropped file is removed, by another process if the storage is broken or the process ends.
func TestDrop(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	path, other := w.keep("one"), w.keep("two")
	drop := func(after error) error {
		return w.db.Write(t.Context(), w.org, func(tx *store.Tx) error {
			if err := file.Drop(t.Context(), tx, path); err != nil {
				return err
			}
			return after
		})
	}
	if err := drop(errRefused); !errors.Is(err, errRefused) {
		t.Fatal(err)
	}
	w.clean()
	w.has("a transaction that failed", 2, 2, 0)
	if err := drop(nil); err != nil {
		t.Fatal(err)
	}
	w.has("before it is removed", 2, 1, 1)
	w.broken = true
	if err := w.store.Clean(t.Context()); !errors.Is(err, errDisk) {
		t.Errorf("a storage that is broken: %v", err)
	}
	w.broken = false
	w.clean()
	w.has("somebody else is about to remove it", 2, 1, 1)
	w.sql.Exec("update unkept_files set due_at = due_at - interval '10 minutes'")
	w.clean()
	w.has("when it is removed", 1, 1, 0)
	if opened, err := w.store.Open(t.Context(), other); err != nil || opened.Close() != nil {
		t.Errorf("the other file: %v", err)
	}
}

// All due files are removed, however many there are.
func TestManyAreDue(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.sql.Exec("insert into unkept_files (path, org, due_at) select 'x/' || n, $1, now() from generate_series(1, 250) n", w.org)
	w.clean()
	w.has("250 files", 0, 0, 0)
}

// A file that can't be removed doesn't keep others.
func TestOneCannotBeRemoved(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.sql.Exec("insert into unkept_files (path, org, due_at) select 'x/' || n, $1, now() - n * interval '1 second' from generate_series(1, 250) n", w.org)
	if err := os.MkdirAll(filepath.Join(w.dir, "x/200/in"), 0o700); err != nil { // a folder in its place
		t.Fatal(err)
	}
	if err := w.store.Clean(t.Context()); err == nil {
		t.Error("nothing failed")
	}
	if left := storetest.Values[string](w.sql, "select path from unkept_files"); !slices.Equal(left, []string{"x/200"}) {
		t.Errorf("%d are left: %q", len(left), left)
	}
}
