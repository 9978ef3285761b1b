package uploads_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/services/servicetest"
)

type params = servicetest.Params

const png = "\x89PNG\r\n\x1a\nand what follows"

func TestUpload(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	ann, bob := w.Person("Ann", actor.Member), w.Person("Bob", actor.Guest)
	queues := map[string]*servicetest.Queue{"ann": ann.Everything(nil), "bob": bob.Everything(nil)}
	uri := ann.Upload("plan of the site.png", png)
	if want := fmt.Sprintf("/user_uploads/%d/", ann.Org.ID); !strings.HasPrefix(uri, want) || !strings.HasSuffix(uri, "/plan-of-the-site.png") {
		t.Errorf("%q", uri)
	}
	events := w.EventsOf(queues)
	if len(events["bob"]) != 0 || len(events["ann"]) != 1 {
		t.Fatal(events)
	}
	e := events["ann"][0]
	got, _ := e["attachment"].(map[string]any)
	if e["type"] != "attachment" || e["op"] != "add" || e["upload_space_used"] != float64(len(png)) ||
		got["name"] != "plan of the site.png" || "/user_uploads/"+got["path_id"].(string) != uri || got["size"] != float64(len(png)) ||
		got["create_time"].(float64) < 1e12 || len(got["messages"].([]any)) != 0 {
		t.Errorf("%v", e)
	}
	if a := ann.Page(uri, nil); a.Code != http.StatusOK || a.Body.String() != png {
		t.Errorf("%d %q", a.Code, a.Body)
	}
	if again := ann.Upload("plan of the site.png", png); again == uri {
		t.Error("two files have one address")
	}
	bob.Upload("empty", "")
}

func TestNoFile(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	ann := w.Person("Ann", actor.Member)
	const missing = "You must specify a file to upload"
	ann.Do(http.MethodPost, "/user_uploads", params{"file": "x"}).Fails(400, "", missing)
	ann.Post("/user_uploads", "multipart/form-data; boundary=b", strings.NewReader("--b\r\nContent-Disposition: form-data; name=\"file\"\r\n\r\nx\r\n--b--\r\n")).Fails(400, "", missing)
	ann.Post("/user_uploads", "multipart/form-data", strings.NewReader("x")).Fails(400, "BAD_REQUEST", "The request's body can't be read")
	ann.Post("/user_uploads", "text/plain", strings.NewReader("x")).Fails(400, "", missing)
	two := "--b\r\nContent-Disposition: form-data; name=\"a\"; filename=\"a\"\r\n\r\nx\r\n--b\r\nContent-Disposition: form-data; name=\"b\"; filename=\"b\"\r\n\r\ny\r\n--b--\r\n"
	ann.Post("/user_uploads", "multipart/form-data; boundary=b", strings.NewReader(two)).Fails(400, "", "You may only upload one file at a time")
	kept(t, w, 0)
}

// kept compares the number of kept files in the database, and expects that the others are due to be removed.
func kept(t *testing.T, w *servicetest.World, want int64) {
	t.Helper()
	sql := storetest.Connect(t, w.DatabaseURL)
	for query, want := range map[string]int64{
		"select count(*) from attachments": want, "select count(*) from files": want,
		"select count(*) from unkept_files where due_at > now()":                                     0,
		"select abs(sum(size) - coalesce((select sum(used) from upload_space), 0)) from attachments": 0,
	} {
		if got := storetest.Values[*int64](sql, query)[0]; got != nil && *got != want {
			t.Errorf("%s: %d, want %d", query, *got, want)
		}
	}
}
