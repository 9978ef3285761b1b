package admin_test

import (
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/adminapi"
	"chatserver.dev/pkg/archive"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/pkg/transfer"
)

// importing begins to import an organization, and stops when it has stored some of the messages. end continues, and returns the
// import's error.
func (w *world) importing(subdomain string) (end func() error) {
	w.t.Helper()
	ctx := w.t.Context()
	ann := w.Person("Ann", actor.Owner)
	ann.Subscribe("hall")
	w.sql().Exec(storetest.InsertMessages(`select $1::bigint as org_id, $2::bigint as sender_id, stream_id, 't' as topic from streams, generate_series(1, 2500)
		where org_id = $1 and name = 'hall'`), w.Org.ID, ann.ID)
	dir := filepath.Join(w.t.TempDir(), "archive")
	to := must(archive.NewFolder(dir))(w.t)
	must(w.Exporter.Export(ctx, w.Org.ID, to, transfer.Options{}))(w.t)
	if err := to.Close(); err != nil {
		w.t.Fatal(err)
	}
	in := must(archive.New(os.DirFS(dir)))(w.t)
	reached, open, ended := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	stand := sync.OnceFunc(func() {
		close(reached)
		select {
		case <-open:
		case <-ctx.Done():
		}
	})
	deps := w.Importer.ImporterDeps
	deps.Workers = 1
	go func() {
		_, _, err := transfer.NewImporter(deps).Import(ctx, transfer.Plan{Archive: in, Subdomain: subdomain, Progress: func(what string, done, _ int) {
			if what == "messages" && done > 0 {
				stand()
			}
		}})
		ended <- err
	}()
	select {
	case <-reached:
	case err := <-ended:
		w.t.Fatal(err)
	}
	return func() error {
		close(open)
		return <-ended
	}
}

// An import of an organization that is deleted meanwhile writes nothing more, so that nothing stays.
func TestDeleteImporting(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	end := w.importing("works")
	state := changed(w.PutOrganization(t.Context(), key, adminapi.OrganizationSpec{Subdomain: new("works"), Adopt: true}))(t, "key")
	for done := false; !done; {
		done = must(w.DeleteOrganization(t.Context(), key))(t).Done
	}
	if err := end(); !errors.Is(err, transfer.ErrTaken) {
		t.Errorf("the import ends with %v", err)
	}
	if left := w.tables(state.ID); len(left) > 0 {
		t.Errorf("left %v", left)
	}
}

// The end of an import locks the organization before the import, as deleting the organization does: they can't deadlock.
func TestEndImportInOrder(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	end, ended := w.importing("works"), make(chan error, 1)
	deletes := w.sql()
	deletes.Exec("begin")
	deletes.Exec("select from organizations where subdomain = 'works' for no key update")
	go func() { ended <- end() }()
	w.awaitLock()
	deletes.Exec("select from imports for update nowait")
	deletes.Exec("commit")
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// An organization that is being imported can be adopted and deleted, but nothing else: it stays deactivated until it is complete.
func TestChangeImporting(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	end := w.importing("works")
	wanted := adminapi.OrganizationSpec{Subdomain: new("works"), Adopt: true, Suspended: new(false), Owners: []string{"new@corp.example"}}
	refused := func(err error) {
		t.Helper()
		fails(0, err)(t, 409, "IMPORT_IN_PROGRESS", "This organization is being imported: try again when the import is complete, or delete the organization.")
	}
	for _, spec := range []adminapi.OrganizationSpec{wanted, wanted, {Owners: wanted.Owners}, {Name: new("Works")}, {Domains: []adminapi.Domain{}}, {UserGroups: []adminapi.UserGroupSpec{}}} {
		_, err := w.PutOrganization(t.Context(), key, spec)
		refused(err)
	}
	_, err := w.Streams(key).Put(t.Context(), "s", adminapi.StreamSpec{Name: new("s")})
	refused(err)
	_, err = w.Owners(key).Put(t.Context(), "new@corp.example", adminapi.OwnerSpec{})
	refused(err)
	if state := must(w.Organization(t.Context(), key))(t); !state.Suspended || len(state.Owners) > 0 && state.Owners[0] == "new@corp.example" {
		t.Errorf("meanwhile, it is %+v", state)
	}
	if err := end(); err != nil {
		t.Fatal(err)
	}
	if state := changed(w.PutOrganization(t.Context(), key, wanted))(t, "owners"); state.Suspended || len(state.Owners) != 2 {
		t.Errorf("afterwards, it is %+v", state)
	}
}
