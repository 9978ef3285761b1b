package messages_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/message"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/pkg/testbed"
	"chatserver.dev/services/servicetest"
)

// A message keeps its newest edits, up to a number and a size, and its original. What the history says was written at a time was
// written then.
func TestHistoryEnds(t *testing.T) {
	testbed.Slow(t)
	t.Parallel()
	w := newWorld(t)
	ann := w.Person("Ann", actor.Member)
	w.stream(ann, "hall", nil)
	db := storetest.Connect(t, w.DatabaseURL)
	for _, test := range []struct {
		text       string // of each remaining edit
		there, end int
	}{
		{"x", message.MaxEdits - 2, message.MaxEdits - 1},
		{"x", 150, message.MaxEdits},
		{strings.Repeat("x", 100_000), 30, 12}, // ten of them are less than a MiB
		{strings.Repeat("x", 2<<20), 3, 2},
	} {
		sent := sent(ann, toStream("hall"))
		db.Exec(`update messages set edited_at = now(), edits = (select jsonb_agg(jsonb_build_object('user_id', $2::bigint, 'timestamp', 1000 - n,
			'prev_content', 'edit ' || n, 'prev_rendered_content', $3::text, 'prev_rendered_content_version', 1)) from generate_series(1, $4) n)
			where message_id = $1`, sent, ann.ID, test.text, test.there)
		edit(ann, sent, params{"content": "newest"}).OK()
		kept := storetest.Values[int](db, "select jsonb_array_length(edits) from messages where message_id = $1", sent)[0]
		servicetest.Same(t, "edits that are kept", test.end, kept)
		original := fmt.Sprint("edit ", test.there)
		servicetest.Same(t, "the original", original, storetest.Values[string](db, "select edits->-1->>'prev_content' from messages where message_id = $1", sent)[0])
		if len(test.text) > 1 {
			continue
		}
		reply := struct {
			History []eventJSON `json:"message_history"`
		}{}
		ann.Do(http.MethodGet, at(sent)+"/history", nil).OK().Decode(&reply)
		servicetest.Same(t, "snapshots", kept+1, len(reply.History))
		servicetest.Same(t, "the newest", any("newest"), reply.History[kept]["content"])
		servicetest.Same(t, "what the newest edit changed", storetest.Values[any](db, "select edits->0->>'prev_content' from messages where message_id = $1", sent)[0],
			reply.History[kept]["prev_content"])
		servicetest.Same(t, "the oldest", any(original), reply.History[0]["content"])
		for i, snapshot := range reply.History[1 : kept-1] { // each is what the edit n, at the time 1000 - n, made of the message
			n := 1000 - int(snapshot["timestamp"].(float64))
			servicetest.Same(t, fmt.Sprint("snapshot ", i), any(fmt.Sprint("edit ", n-1)), snapshot["content"])
		}
	}
}
