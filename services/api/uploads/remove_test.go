package uploads_test

import (
	"fmt"
	"net/http"
	"testing"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/services/servicetest"
)

func TestRemove(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	ann, bob := w.Person("Ann", actor.Member), w.Person("Bob", actor.Member)
	uri := ann.Upload("plan.pdf", "%PDF-1.7")
	stays := ann.Upload("stays.txt", "12")
	ann.Subscribe("hall")
	ann.SendStream("hall", "t", link(uri))
	got := list{}
	ann.Do(http.MethodGet, "/attachments", nil).OK().Decode(&got)
	at := fmt.Sprintf("/attachments/%d", got.Attachments[0].ID)
	bob.Do(http.MethodDelete, at, nil).Fails(400, "BAD_REQUEST", "Invalid attachment")
	queues := map[string]*servicetest.Queue{"ann": ann.Everything(nil), "bob": bob.Everything(nil)}
	ann.Do(http.MethodDelete, at, nil).OK()
	ann.Do(http.MethodDelete, at, nil).Fails(400, "BAD_REQUEST", "Invalid attachment")
	events := w.EventsOf(queues)
	want := fmt.Sprint(map[string]any{
		"type": "attachment", "op": "remove", "attachment": map[string]any{"id": float64(got.Attachments[0].ID)}, "upload_space_used": float64(2),
	})
	if len(events["bob"]) != 0 || len(events["ann"]) != 1 || fmt.Sprint(events["ann"][0]) != want {
		t.Errorf("%v\nwant %s", events, want)
	}
	if a := ann.Page(uri, nil); a.Code != http.StatusNotFound {
		t.Errorf("%d %s", a.Code, a.Body)
	}
	// The file disappears from the storage.
	if err := w.Files.Clean(t.Context()); err != nil {
		t.Fatal(err)
	}
	sql := storetest.Connect(t, w.DatabaseURL)
	if left := storetest.Values[int64](sql, "select count(*) from unkept_files")[0]; left != 0 {
		t.Errorf("%d files are left to remove", left)
	}
	if a := ann.Page(stays, nil); a.Code != http.StatusOK {
		t.Errorf("another file: %d %s", a.Code, a.Body)
	}
	kept(t, w, 1)
}

// A file that is in very many messages is removed from them in several transactions.
func TestRemoveFromManyMessages(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	ann := w.Person("Ann", actor.Member)
	ann.Upload("plan.pdf", "%PDF-1.7")
	sql := storetest.Connect(t, w.DatabaseURL)
	sql.Exec("insert into attachment_messages (org_id, attachment_id, message_id) select org_id, attachment_id, generate_series(1, 1200) from attachments")
	id := storetest.Values[int64](sql, "select attachment_id from attachments")[0]
	ann.Do(http.MethodDelete, fmt.Sprintf("/attachments/%d", id), nil).OK()
	kept(t, w, 0)
}

// A file is removed when no message has contained it for five weeks.
func TestUnclaimed(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	ann := w.Person("Ann", actor.Member)
	ann.Subscribe("hall")
	inMessage, never, released, young := ann.Upload("a", "a"), ann.Upload("b", "b"), ann.Upload("c", "c"), ann.Upload("d", "d")
	ann.SendStream("hall", "t", link(inMessage))
	message := ann.SendStream("hall", "t", link(released))
	ann.Do(http.MethodPatch, fmt.Sprintf("/messages/%d", message), params{"content": "nothing"}).OK()
	sql := storetest.Connect(t, w.DatabaseURL)
	if claimed := storetest.Values[string](sql, "select name from attachments where unclaimed_since is null"); len(claimed) != 1 || claimed[0] != "a" {
		t.Errorf("in messages: %v", claimed)
	}
	// The first one is checked, too, and is in a message.
	sql.Exec("update attachments set unclaimed_since = now() - interval '36 days' where name <> 'd'")
	for range 2 {
		if err := w.Attachments.RemoveUnclaimed(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if unclaimed := storetest.Values[string](sql, "select name from attachments where unclaimed_since is not null"); len(unclaimed) != 1 || unclaimed[0] != "d" {
		t.Errorf("in no message: %v", unclaimed)
	}
	for uri, want := range map[string]int{inMessage: 200, never: 404, released: 404, young: 200} {
		if a := ann.Page(uri, nil); a.Code != want {
			t.Errorf("%s: %d, want %d", uri, a.Code, want)
		}
	}
	kept(t, w, 2)
}
