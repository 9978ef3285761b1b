package messages_test

import (
	"encoding/json"
	"net/http"
	"testing"
	"time"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/pkg/user"
	"chatserver.dev/services/servicetest"
)

func TestHistory(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada, ann, guest := w.Person("Ada", actor.Administrator), w.Person("Ann", actor.Member), w.Person("Guest", actor.Guest)
	foreign := w.Account(w.NewOrg("elsewhere"), user.Draft{FullName: "Zoe", Role: actor.Owner})
	hall, shed := w.stream(ann, "hall", nil), w.stream(ada, "shed", nil)
	history := func(a servicetest.Account, of int64) []eventJSON {
		t.Helper()
		reply := struct {
			History []eventJSON `json:"message_history"`
		}{}
		a.Do(http.MethodGet, at(of)+"/history", nil).OK().Decode(&reply)
		last := float64(time.Now().Add(-time.Minute).Unix())
		for _, snapshot := range reply.History {
			made, _ := snapshot["timestamp"].(float64)
			if made < last {
				t.Errorf("a time is %v, after %v", snapshot["timestamp"], last)
			}
			last = made
			delete(snapshot, "timestamp")
		}
		return reply.History
	}
	message := sent(ann, with(with(toStream("hall"), "topic", "one"), "content", "content before edit"))
	original := eventJSON{
		"topic": "one", "content": "content before edit", "rendered_content": "<p>content before edit</p>", "user_id": float64(ann.ID),
	}
	servicetest.Same(t, "never edited", []eventJSON{original}, history(ada, message))

	edit(ann, message, params{"content": "content after edit"}).OK()
	edit(ada, message, params{"topic": "two"}).OK()
	edit(ada, message, params{"stream_id": shed}).OK()
	edit(ann, message, params{"content": "more", "topic": "three"}).OK()
	const after = "<p>content after edit</p>"
	servicetest.Same(t, "history", []eventJSON{
		original,
		{
			"topic": "one", "content": "content after edit", "rendered_content": after, "user_id": float64(ann.ID),
			"prev_content": "content before edit", "prev_rendered_content": "<p>content before edit</p>",
			"content_html_diff": `<p>content <span class="highlight_text_inserted">after</span> <span class="highlight_text_deleted">before</span> edit</p>`,
		},
		{"topic": "two", "content": "content after edit", "rendered_content": after, "user_id": float64(ada.ID), "prev_topic": "one"},
		{"topic": "two", "content": "content after edit", "rendered_content": after, "user_id": float64(ada.ID), "prev_stream": float64(hall)},
		{
			"topic": "three", "content": "more", "rendered_content": "<p>more</p>", "user_id": float64(ann.ID), "prev_topic": "two",
			"prev_content": "content after edit", "prev_rendered_content": after,
			"content_html_diff": `<p><span class="highlight_text_inserted">more</span> <span class="highlight_text_deleted">content after edit</span></p>`,
		},
	}, history(ada, message))

	stored := []eventJSON{}
	edits := storetest.Values[string](w.db, "select edits::text from messages where message_id = $1 and edited_at > now() - interval '1 minute'", message)[0]
	if err := json.Unmarshal([]byte(edits), &stored); err != nil {
		t.Fatal(err)
	}
	for _, edit := range stored {
		if at, ok := edit["timestamp"].(float64); !ok || at < float64(time.Now().Add(-time.Minute).Unix()) {
			t.Errorf("an edit has no time: %v", edit)
		}
		delete(edit, "timestamp")
	}
	servicetest.Same(t, "as messages have it, the newest first", []eventJSON{
		{
			"user_id": float64(ann.ID), "prev_subject": "two", "prev_content": "content after edit", "prev_rendered_content": after,
			"prev_rendered_content_version": float64(3),
		},
		{"user_id": float64(ada.ID), "prev_stream": float64(hall)},
		{"user_id": float64(ada.ID), "prev_subject": "one"},
		{
			"user_id": float64(ann.ID), "prev_content": "content before edit", "prev_rendered_content": "<p>content before edit</p>",
			"prev_rendered_content_version": float64(3),
		},
	}, stored)

	private := sent(ann, toPeople(ids(guest)))
	servicetest.Same(t, "private", []eventJSON{
		{"topic": "", "content": "it leaks", "rendered_content": "<p>it leaks</p>", "user_id": float64(ann.ID)},
	}, history(guest, private))
	for _, a := range []servicetest.Account{guest, foreign} {
		a.Do(http.MethodGet, at(message)+"/history", nil).Fails(400, "BAD_REQUEST", "Invalid message(s)")
	}
	ada.Do(http.MethodGet, at(private)+"/history", nil).Fails(400, "BAD_REQUEST", "Invalid message(s)")
	ada.Do(http.MethodGet, "/messages/99999999999999999999/history", nil).Fails(400, "BAD_REQUEST", "Invalid message(s)")
	w.db.Exec(`update organizations set settings = settings || '{"allow_edit_history": false}'`)
	for _, of := range []int64{message, 1 << 40} {
		ada.Do(http.MethodGet, at(of)+"/history", nil).Fails(400, "", "Message edit history is disabled in this organization")
	}
}
