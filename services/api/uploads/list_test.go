package uploads_test

import (
	"net/http"
	"testing"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/event"
	"chatserver.dev/services/servicetest"
)

type list struct {
	Attachments     []event.AttachmentObject `json:"attachments"`
	UploadSpaceUsed int64                    `json:"upload_space_used"`
}

func TestList(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	ann, bob := w.Person("Ann", actor.Member), w.Person("Bob", actor.Member)
	got := list{}
	ann.Do(http.MethodGet, "/attachments", nil).OK().Decode(&got)
	if got.Attachments == nil || len(got.Attachments) != 0 || got.UploadSpaceUsed != 0 {
		t.Errorf("%+v", got)
	}
	ann.Subscribe("hall")
	first, second := ann.Upload("first.txt", "12345"), ann.Upload("second.txt", "123")
	bob.Upload("third.txt", "1")
	sent := ann.SendStream("hall", "t", "[it](https://chat.example"+first+") and "+link(first))
	ann.Do(http.MethodGet, "/attachments", nil).OK().Decode(&got)
	if len(got.Attachments) != 2 || got.UploadSpaceUsed != 9 {
		t.Fatalf("%+v", got)
	}
	a, b := got.Attachments[0], got.Attachments[1]
	if "/user_uploads/"+a.PathID != first || a.Name != "first.txt" || a.Size != 5 || len(a.Messages) != 1 || int64(a.Messages[0].ID) != sent ||
		a.Messages[0].DateSent%1000 != 0 || a.Messages[0].DateSent < a.CreateTime {
		t.Errorf("%+v", a)
	}
	if "/user_uploads/"+b.PathID != second || b.Messages == nil || len(b.Messages) != 0 {
		t.Errorf("%+v", b)
	}
}
