package exports_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"testing"
	"time"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/blob"
	"chatserver.dev/pkg/file"
	"chatserver.dev/pkg/realmexport"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/pkg/testbed"
	"chatserver.dev/services/servicetest"
)

// slow is a storage that has read a file, and stores it after release.
type slow struct {
	blob.Store

	begun, release chan struct{}
}

func (s slow) Put(ctx context.Context, name string, from io.Reader) (int64, error) {
	size, err := s.Store.Put(ctx, name, from)
	close(s.begun)
	<-s.release
	return size, err
}

// slowly begins an export whose archive isn't stored before end is called, which returns the error of the export.
func slowly(t *testing.T, w *servicetest.World, lease time.Duration) (files *file.Store, end func() error) {
	t.Helper()
	blobs, err := blob.Open(blob.Config{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	storage := slow{blobs, make(chan struct{}), make(chan struct{})}
	files = file.New(w.DB, storage, w.Logger)
	exports := realmexport.New(realmexport.Deps{
		DB: w.DB, Orgs: w.Orgs, Exporter: w.Exporter, Files: files, Now: time.Now, Logger: w.Logger, Lease: lease,
	})
	ended := make(chan error, 1)
	go func() { ended <- exports.Work(t.Context()) }()
	select {
	case <-storage.begun:
	case err := <-ended:
		t.Fatalf("the export has ended: %v", err)
	}
	return files, func() error {
		close(storage.release)
		return <-ended
	}
}

// An archive that takes longer to make than a file may take to be stored isn't removed meanwhile.
func TestSlow(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	ann := w.Person("Ann", actor.Administrator)
	ann.Do(http.MethodPost, "/export/realm", nil).OK()
	files, end := slowly(t, w, time.Second)
	db := storetest.Connect(t, w.DatabaseURL)
	db.Exec("update unkept_files set due_at = now() + interval '5 seconds'") // it has taken nearly an hour
	testbed.Until(t, "it has more time", func() bool {
		return storetest.Values[bool](db, "select due_at > now() + interval '30 minutes' from unkept_files")[0]
	})
	if err := files.Clean(t.Context()); err != nil {
		t.Error(err)
	}
	if err := end(); err != nil {
		t.Fatal(err)
	}
	if got := exports(ann)[0]; got.URL == nil || got.Pending || got.Failed != nil {
		t.Errorf("%+v", got)
	}
}

// If another process makes an archive that one made too slowly, the slow one's is removed.
func TestSuperseded(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	ann := w.Person("Ann", actor.Administrator)
	ann.Do(http.MethodPost, "/export/realm", nil).OK()
	_, end := slowly(t, w, 0)
	db := storetest.Connect(t, w.DatabaseURL)
	db.Exec("update realm_exports set due_at = now()") // it hasn't renewed its lease
	if err := w.Exports.Work(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := end(); err != nil {
		t.Fatal(err)
	}
	got := exports(ann)[0]
	if got.URL == nil || got.Pending || got.Failed != nil {
		t.Fatalf("%+v", got)
	}
	if a := ann.Page(fmt.Sprintf("/exports/%d.tar.gz", got.ID), nil); a.Code != http.StatusOK {
		t.Errorf("the archive: %d", a.Code)
	}
	ann.Do(http.MethodDelete, fmt.Sprintf("/export/realm/%d", got.ID), nil).OK()
	if left := storetest.Values[string](db, "select path from files"); len(left) > 0 {
		t.Errorf("files are left: %q", left)
	}
}
