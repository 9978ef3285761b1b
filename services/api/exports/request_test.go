package exports_test

import (
	"compress/gzip"
	"io"
	"net/http"
	"strings"
	"testing"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/file"
	"chatserver.dev/pkg/realmexport"
	"chatserver.dev/pkg/storetest"
	api "chatserver.dev/services/api/exports"
	"chatserver.dev/services/servicetest"
)

type list struct {
	Exports []event.Export `json:"exports"`
}

func exports(a servicetest.Account) []event.Export {
	got := list{}
	a.Do(http.MethodGet, "/export/realm", nil).OK().Decode(&got)
	return got.Exports
}

// Administrators export public data and download it, at most five times a week.
func TestRequest(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	ann, bob := w.Person("Ann", actor.Administrator), w.Person("Bob", actor.Member)
	ann.Subscribe("hall")
	ann.SendStream("hall", "t", "said in public")
	ann.Do(http.MethodPost, "/messages", servicetest.Params{"type": "private", "to": []int64{int64(bob.ID)}, "content": "said in private"}).OK()
	bob.Do(http.MethodPost, "/export/realm", nil).Fails(400, "UNAUTHORIZED_PRINCIPAL", "Must be an organization administrator")
	queues := map[string]*servicetest.Queue{"ann": ann.Everything(nil), "bob": bob.Everything(nil)}
	ann.Do(http.MethodPost, "/export/realm", nil).OK()
	if got := exports(ann); len(got) != 1 || !got[0].Pending || got[0].URL != nil {
		t.Errorf("%+v", got)
	}
	if err := w.Exports.Work(t.Context()); err != nil {
		t.Fatal(err)
	}
	got := exports(ann)
	if len(got) != 1 || got[0].Pending || got[0].URL == nil || got[0].Failed != nil {
		t.Fatalf("%+v", got)
	}
	events := w.EventsOf(queues)
	if len(events["ann"]) != 2 || events["ann"][1]["type"] != "realm_export" || len(events["bob"]) != 0 {
		t.Errorf("%v", events)
	}
	path := strings.TrimPrefix(*got[0].URL, "https://"+servicetest.Host)
	a := ann.Page(path, nil)
	if a.Code != http.StatusOK {
		t.Fatalf("an administrator gets %d", a.Code)
	}
	if text := all(t, a.Body); !strings.Contains(text, "said in public") || strings.Contains(text, "said in private") {
		t.Errorf("the archive has %d bytes and not the public data", len(text))
	}
	for _, refused := range []struct {
		who    servicetest.Account
		path   string
		status int
		code   string
	}{
		{bob, path, 400, "UNAUTHORIZED_PRINCIPAL"},
		{w.Nobody(), path, 401, "UNAUTHORIZED"},
		{ann, "/exports/999999.tar.gz", 404, "NOT_FOUND"},
		{ann, "/exports/x.tar.gz", 404, "NOT_FOUND"},
	} {
		if a := refused.who.Page(refused.path, nil); a.Code != refused.status || !strings.Contains(a.Body.String(), refused.code) {
			t.Errorf("%s: %d %s", refused.path, a.Code, a.Body)
		}
	}
	for range 4 {
		ann.Do(http.MethodPost, "/export/realm", nil).OK()
	}
	ann.Do(http.MethodPost, "/export/realm", nil).Fails(400, "", "Exceeded rate limit.")
	db := storetest.Connect(t, w.DatabaseURL)
	db.Exec("update realm_exports set requested_at = requested_at - interval '8 days'")
	db.Exec("insert into upload_space (org_id, used) select org_id, 11::bigint << 30 from organizations")
	ann.Do(http.MethodPost, "/export/realm", nil).Fails(400, "", "Please request a manual export from admin@"+servicetest.Host+".")
}

// all returns the unpacked files of an archive.
func all(t *testing.T, packed io.Reader) string {
	t.Helper()
	unpacked, err := gzip.NewReader(packed)
	if err != nil {
		t.Fatal(err)
	}
	content, err := io.ReadAll(unpacked)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// A server without a storage refuses with an error.
func TestNoStorage(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	ann := w.Person("Ann", actor.Administrator)
	none := realmexport.New(realmexport.Deps{DB: w.DB, Orgs: w.Orgs, Files: file.New(w.DB, nil, w.Logger)})
	w.Serve(api.Request(none))
	ann.Do(http.MethodPost, "/export/realm", nil).Fails(400, "BAD_REQUEST", "This server isn't set up to store files.")
	if err := none.Work(t.Context()); err != nil {
		t.Error(err)
	}
}
