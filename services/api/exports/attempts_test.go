package exports_test

import (
	"net/http"
	"testing"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/services/servicetest"
)

// An export that three processes have begun and none has completed fails, because an export that kills its process
// would do so forever.
func TestAttempts(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	ann := w.Person("Ann", actor.Administrator)
	ann.Do(http.MethodPost, "/export/realm", nil).OK()
	db := storetest.Connect(t, w.DatabaseURL)
	db.Exec("update realm_exports set attempts = 3")
	queue := ann.Everything(nil)
	if err := w.Exports.Work(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := exports(ann)[0]; got.Failed == nil || got.Pending || got.URL != nil {
		t.Errorf("%+v", got)
	}
	if events := w.EventsOf(map[string]*servicetest.Queue{"ann": queue})["ann"]; len(events) != 1 || events[0]["type"] != "realm_export" {
		t.Errorf("%v", events)
	}
	if left := storetest.Values[string](db, "select path from files"); len(left) > 0 {
		t.Errorf("files are left: %q", left)
	}
}

// An export that is deleted while it is being made has no archive.
func TestDeletedMeanwhile(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	ann := w.Person("Ann", actor.Administrator)
	ann.Do(http.MethodPost, "/export/realm", nil).OK()
	db := storetest.Connect(t, w.DatabaseURL)
	db.Exec(`create function delete_meanwhile() returns trigger language plpgsql as $$ begin update realm_exports set deleted_at = now(); return new; end $$`)
	db.Exec(`create trigger meanwhile before insert on files for each row execute function delete_meanwhile()`)
	if err := w.Exports.Work(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := exports(ann)[0]; got.URL != nil || got.Failed != nil {
		t.Errorf("%+v", got)
	}
	if left := storetest.Values[string](db, "select path from files"); len(left) > 0 {
		t.Errorf("files are left: %q", left)
	}
	db.Exec("drop function delete_meanwhile cascade")
}
