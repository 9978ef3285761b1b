package messages_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/storetest"
)

// No response makes a reader's browser fetch an image from another server.
func TestNoImagesOfOtherServers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ann := w.Person("Ann", actor.Member)
	w.stream(ann, "hall", nil)
	message := sent(ann, with(toStream("hall"), "content", "http://evil.example/x.png"))
	check := func(name, body string) {
		t.Helper()
		for _, bad := range []string{`<img src=\"http`, `<img src=\"//`, `\u003cimg`} {
			if strings.Contains(body, bad) {
				t.Errorf("%s: %s", name, body)
			}
		}
		if !strings.Contains(body, "evil.example") {
			t.Errorf("%s: no link in %s", name, body)
		}
	}
	check("messages", ann.Do(http.MethodGet, "/messages", params{"anchor": message, "num_before": 0, "num_after": 0}).OK().Body)
	check("matches", ann.Do(http.MethodGet, "/messages/matches_narrow", params{"msg_ids": []int64{message}, "narrow": [][]string{{"stream", "hall"}}}).OK().Body)
	edit(ann, message, params{"content": "http://evil.example/y.png"}).OK()
	check("history", ann.Do(http.MethodGet, fmt.Sprintf("/messages/%d/history", message), nil).OK().Body)
	edited := ann.Do(http.MethodGet, "/messages", params{"anchor": message, "num_before": 0, "num_after": 0}).OK().Body
	check("edited", edited)
	for _, payload := range storetest.Values[string](w.db, "select payload::text from event_log where payload::text like '%evil.example%'") {
		check("event", payload)
	}
	if !strings.Contains(edited, `<img src=\"/external_content/`) {
		t.Errorf("the image isn't shown: %s", edited)
	}
}
