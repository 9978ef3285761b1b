package exports_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/services/servicetest"
)

// Deleting an archive deletes its file, and cancels an archive that isn't made yet.
func TestDelete(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	ann, bob := w.Person("Ann", actor.Administrator), w.Person("Bob", actor.Member)
	for range 2 {
		ann.Do(http.MethodPost, "/export/realm", nil).OK()
	}
	made, pending := exports(ann)[0], exports(ann)[1]
	at := func(number int64) string { return fmt.Sprintf("/export/realm/%d", number) }
	bob.Do(http.MethodDelete, at(pending.ID), nil).Fails(400, "UNAUTHORIZED_PRINCIPAL", "Must be an organization administrator")
	queues := map[string]*servicetest.Queue{"ann": ann.Everything(nil), "bob": bob.Everything(nil)}
	ann.Do(http.MethodDelete, at(pending.ID), nil).OK()
	ann.Do(http.MethodDelete, at(pending.ID), nil).Fails(400, "", "Export already deleted")
	ann.Do(http.MethodDelete, at(999_999), nil).Fails(400, "", "Invalid data export ID")
	if err := w.Exports.Work(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := exports(ann); got[0].URL == nil || got[1].URL != nil || got[1].Pending || got[1].Deleted == nil {
		t.Fatalf("%+v", got)
	}
	ann.Do(http.MethodDelete, at(made.ID), nil).OK()
	if got := exports(ann)[0]; got.URL != nil || got.Deleted == nil {
		t.Errorf("%+v", got)
	}
	if a := ann.Page(fmt.Sprintf("/exports/%d.tar.gz", made.ID), nil); a.Code != http.StatusNotFound {
		t.Errorf("a deleted archive: %d", a.Code)
	}
	if left := storetest.Values[string](storetest.Connect(t, w.DatabaseURL), "select path from files"); len(left) > 0 {
		t.Errorf("files are left: %s", strings.Join(left, ", "))
	}
	events := w.EventsOf(queues)
	if len(events["ann"]) != 3 || len(events["bob"]) != 0 {
		t.Errorf("%v", events)
	}
}

// An archive is kept for a week.
func TestDeleteOld(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	ann := w.Person("Ann", actor.Administrator)
	ann.Do(http.MethodPost, "/export/realm", nil).OK()
	work := func() {
		if err := w.Exports.Work(t.Context()); err != nil {
			t.Error(err)
		}
	}
	db := storetest.Connect(t, w.DatabaseURL)
	work()
	db.Exec("update realm_exports set requested_at = requested_at - interval '6 days'")
	work()
	if got := exports(ann)[0]; got.URL == nil {
		t.Errorf("%+v", got)
	}
	db.Exec("update realm_exports set requested_at = requested_at - interval '2 days'")
	work()
	if got := exports(ann)[0]; got.URL != nil || got.Deleted == nil {
		t.Errorf("%+v", got)
	}
	work()
}
