package exports_test

import (
	"context"
	"errors"
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
	"chatserver.dev/services/servicetest"
)

// Administrators see all archives and who requested them.
func TestList(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	ann, bob, cyd := w.Person("Ann", actor.Administrator), w.Person("Bob", actor.Owner), w.Person("Cyd", actor.Member)
	if got := exports(ann); len(got) != 0 {
		t.Errorf("%+v", got)
	}
	before := float64(time.Now().Unix())
	ann.Do(http.MethodPost, "/export/realm", nil).OK()
	bob.Do(http.MethodPost, "/export/realm", nil).OK()
	got := exports(bob)
	if len(got) != 2 || got[0].Acting != ann.ID || got[1].Acting != bob.ID || got[0].Requested < before || !got[1].Pending {
		t.Errorf("%+v", got)
	}
	cyd.Do(http.MethodGet, "/export/realm", nil).Fails(400, "UNAUTHORIZED_PRINCIPAL", "Must be an organization administrator")
	queues := map[string]*servicetest.Queue{"ann": ann.Everything(nil), "bob": bob.Everything(nil)}
	bob.Do(http.MethodPatch, fmt.Sprintf("/users/%d", ann.ID), servicetest.Params{"role": actor.Member}).OK()
	if err := w.Exports.Work(t.Context()); err != nil {
		t.Fatal(err)
	}
	sent := map[string]int{}
	for name, events := range w.EventsOf(queues) {
		for _, e := range events {
			if e["type"] == "realm_export" {
				sent[name]++
			}
		}
	}
	if sent["ann"] != 0 || sent["bob"] != 1 {
		t.Errorf("events after losing the rights: %v", sent)
	}
}

// broken is a storage in which storing fails.
type broken struct{ blob.Store }

func (broken) Put(context.Context, string, io.Reader) (int64, error) {
	return 0, errors.New("no space left")
}

// An archive that can't be made is tried three times, and then fails.
func TestFailed(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	ann := w.Person("Ann", actor.Administrator)
	ann.Do(http.MethodPost, "/export/realm", nil).OK()
	failing := realmexport.New(realmexport.Deps{
		DB: w.DB, Orgs: w.Orgs, Exporter: w.Exporter, Files: file.New(w.DB, broken{}, w.Logger), Now: time.Now, Logger: w.Logger,
	})
	db := storetest.Connect(t, w.DatabaseURL)
	for attempt := range 3 {
		if got := exports(ann)[0]; !got.Pending || got.Failed != nil {
			t.Errorf("before attempt %d: %+v", attempt+1, got)
		}
		db.Exec("update realm_exports set due_at = now()")
		for range 2 { // the second one finds the lease of the first
			if err := failing.Work(t.Context()); err != nil {
				t.Error(err)
			}
		}
	}
	if got := exports(ann)[0]; got.Pending || got.Failed == nil || got.URL != nil {
		t.Errorf("%+v", got)
	}
}
