package messages_test

import (
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/message"
	"chatserver.dev/services/servicetest"
)

// waiting returns the scheduled messages of an account after one, in the form of the interface.
func waiting(a servicetest.Account, after int64) (list []message.Scheduled) {
	reply := struct {
		Waiting []message.Scheduled `json:"scheduled_messages"`
	}{}
	a.Do(http.MethodGet, "/scheduled_messages", params{"after": after}).OK().Decode(&reply)
	return reply.Waiting
}

func TestWaiting(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ann, gus := w.Person("Ann", actor.Member), w.Person("Gus", actor.Guest)
	hall := w.stream(ann, "hall", nil)
	servicetest.Same(t, "before", []message.Scheduled{}, waiting(ann, 0))
	at := time.Now().Add(time.Hour).Truncate(time.Second)
	deliver := at.UTC().Format(time.RFC3339)
	ann.Do(http.MethodPost, "/messages", later("send_later", params{"content": "**hi**", "deliver_at": deliver})).OK()
	gus.Do(http.MethodPost, "/messages", later("remind", params{"type": "private", "to": fmt.Sprintf("[%d]", gus.ID), "deliver_at": deliver})).OK()
	ann.Do(http.MethodPost, "/messages", later("send_later", params{"type": "private", "to": fmt.Sprintf("[%d]", gus.ID), "deliver_at": deliver})).OK()
	got := waiting(ann, 0)
	if len(got) != 2 {
		t.Fatalf("%+v", got)
	}
	first, second := message.Scheduled{ID: got[0].ID, Type: "stream", StreamID: got[0].StreamID, Topic: new("t"), Content: "**hi**", DeliverAt: at.Unix()},
		message.Scheduled{ID: got[1].ID, Type: "private", UserIDs: got[1].UserIDs, Content: "x", DeliverAt: at.Unix()}
	servicetest.Same(t, "what Ann has scheduled", []message.Scheduled{first, second}, got)
	if int64(*got[0].StreamID) != hall || len(got[1].UserIDs) != 2 || !slices.Contains(got[1].UserIDs, gus.ID) || !slices.Contains(got[1].UserIDs, ann.ID) {
		t.Errorf("%v, %v", *got[0].StreamID, got[1].UserIDs)
	}
	servicetest.Same(t, "what comes after the first", []message.Scheduled{second}, waiting(ann, first.ID))
	if list := waiting(gus, 0); len(list) != 1 || !list[0].Reminder || list[0].UserIDs[0] != gus.ID {
		t.Errorf("%+v", list)
	}
	w.sendAll(2 * time.Hour)
	servicetest.Same(t, "when all are sent", []message.Scheduled{}, waiting(ann, 0))

	w.db.Exec(`insert into scheduled_messages (org_id, sender_id, stream_id, topic, content, client, reminder, deliver_at, due_at)
		select $1, $2, $3, 't', 'x' || n, '', false, now() + interval '1 day', now() + interval '1 day' from generate_series(1, 150) n`, w.Org.ID, ann.ID, hall)
	page := waiting(ann, 0)
	if len(page) != 100 || page[0].Content != "x1" || page[99].Content != "x100" {
		t.Errorf("%d messages", len(page))
	}
	if rest := waiting(ann, page[99].ID); len(rest) != 50 || rest[0].Content != "x101" {
		t.Errorf("the rest: %d messages", len(rest))
	}
}
