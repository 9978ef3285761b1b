package uploads_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/services/servicetest"
)

// A message whose file is deleted at the same moment is stored, as if the file hadn't been there.
func TestFileGoesMeanwhile(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	ann := w.Person("Ann", actor.Member)
	ann.Subscribe("hall")
	message := ann.SendStream("hall", "t", "no file")
	deleting, sql := storetest.Connect(t, w.DatabaseURL), storetest.Connect(t, w.DatabaseURL)
	for what, write := range map[string]func(content string) servicetest.Answer{
		"sent": func(content string) servicetest.Answer {
			return ann.Do(http.MethodPost, "/messages", servicetest.Params{"type": "stream", "to": "hall", "topic": "t", "content": content})
		},
		"edited": func(content string) servicetest.Answer {
			return ann.Do(http.MethodPatch, fmt.Sprintf("/messages/%d", message), servicetest.Params{"content": content})
		},
	} {
		uri := ann.Upload("plan.pdf", "%PDF-1.7")
		deleting.Exec("begin")
		deleting.Exec("delete from attachments")
		answer := make(chan servicetest.Answer, 1)
		go func() { answer <- write(what + " " + link(uri)) }()
		sql.AwaitBlocked(1)
		deleting.Exec("commit")
		(<-answer).OK()
		if in := storetest.Values[int64](sql, "select count(*) from attachment_messages")[0]; in != 0 {
			t.Errorf("%s: the file is in %d messages", what, in)
		}
	}
}

// An old file that a message claims at the moment of its removal stays.
func TestUnclaimedIsClaimedMeanwhile(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	ann := w.Person("Ann", actor.Member)
	ann.Subscribe("hall")
	uri, message := ann.Upload("plan.pdf", "%PDF-1.7"), ann.SendStream("hall", "t", "no file")
	sending, sql := storetest.Connect(t, w.DatabaseURL), storetest.Connect(t, w.DatabaseURL)
	sql.Exec("update attachments set unclaimed_since = now() - interval '36 days'")
	sending.Exec("begin")
	sending.Exec("insert into attachment_messages (org_id, attachment_id, message_id) select org_id, attachment_id, $1 from attachments", message)
	sending.Exec("update attachments set unclaimed_since = null")
	removed := make(chan error, 1)
	go func() { removed <- w.Attachments.RemoveUnclaimed(t.Context()) }()
	sql.AwaitBlocked(1)
	sending.Exec("commit")
	if err := <-removed; err != nil {
		t.Fatal(err)
	}
	if a := ann.Page(uri, nil); a.Code != http.StatusOK {
		t.Errorf("the file: %d", a.Code)
	}
}

// A file stays that is in a scheduled message, also if other messages with it are deleted before or after that is scheduled.
func TestFileOfScheduledMessage(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	ann := w.Person("Ann", actor.Member)
	ann.Subscribe("hall")
	sql := storetest.Connect(t, w.DatabaseURL)
	uri := ann.Upload("plan.pdf", "%PDF-1.7")
	first := ann.SendStream("hall", "t", link(uri))
	ann.Do(http.MethodPost, "/messages", servicetest.Params{
		"type": "stream", "to": "hall", "topic": "t", "content": link(uri), "delivery_type": "send_later", "deliver_at": time.Now().AddDate(0, 0, 60).Format(time.RFC3339),
	}).OK()
	second := ann.SendStream("hall", "t", link(uri))
	w.Person("Owner", actor.Owner).Do(http.MethodDelete, fmt.Sprintf("/messages/%d", first), nil).OK()
	ann.Do(http.MethodPatch, fmt.Sprintf("/messages/%d", second), servicetest.Params{"content": "no file"}).OK()
	expire := func(column string) int {
		sql.Exec("update attachments set " + column + " = now() - interval '36 days'")
		if err := w.Attachments.RemoveUnclaimed(t.Context()); err != nil {
			t.Fatal(err)
		}
		return ann.Page(uri, nil).Code
	}
	if status := expire("unclaimed_since"); status != http.StatusOK {
		t.Errorf("the file that is needed: %d", status)
	}
	if status := expire("kept_until"); status != http.StatusNotFound {
		t.Errorf("the file that isn't needed any more: %d", status)
	}
}
