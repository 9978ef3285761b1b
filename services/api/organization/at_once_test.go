package organization_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// What somebody has changed holds for everybody's next request, although callers are remembered for seconds.
func TestChangesHoldAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.mia.Subscribe("hall")
	everybody := func() {
		t.Helper()
		w.gus.Do(http.MethodGet, "/users/me", nil).OK()
		w.mia.Do(http.MethodGet, "/users/me", nil).OK()
	}

	everybody()
	w.edit(w.ada, params{"private_message_policy": 2})
	write := params{"type": "private", "to": []int64{int64(w.ada.ID)}, "content": "x"}
	w.mia.Do(http.MethodPost, "/messages", write).Fails(400, bad, "Private messages are disabled in this organization.")
	w.edit(w.ada, params{"private_message_policy": 1})
	w.mia.Do(http.MethodPost, "/messages", write).OK()

	added := struct{ ID int64 }{}
	w.ada.Do(http.MethodPost, "/realm/filters", params{"pattern": "#(?P<n>[0-9]+)", "url_format_string": "https://tickets.example/%(n)s"}).OK().Decode(&added)
	links := func() bool {
		t.Helper()
		got := struct{ Rendered string }{}
		w.mia.Do(http.MethodPost, "/messages/render", params{"content": "#7"}).OK().Decode(&got)
		return strings.Contains(got.Rendered, "https://tickets.example/7")
	}
	if !links() {
		t.Error("no link by the new linkifier")
	}
	w.ada.Do(http.MethodDelete, fmt.Sprintf("/realm/filters/%d", added.ID), nil).OK()
	if links() {
		t.Error("a link by the linkifier that was removed")
	}

	everybody()
	w.ada.Subscribe("hall")
	messages := w.ada.Watch("message")
	w.ada.Do(http.MethodPost, "/users/me/alert_words", params{"alert_words": []string{"crane"}}).OK()
	w.mia.SendStream("hall", "x", "the crane")
	w.ada.Do(http.MethodDelete, "/users/me/alert_words", params{"alert_words": []string{"crane"}}).OK()
	w.mia.SendStream("hall", "x", "the crane")
	got := messages.Events()
	if len(got) != 2 || !strings.Contains(got[0], `"flags":["has_alert_word"]`) || !strings.Contains(got[1], `"flags":[]`) {
		t.Errorf("messages with the word, before and after it was removed: %s", got)
	}

	everybody()
	w.olga.Do(http.MethodPatch, "/users/"+w.mia.ID.String(), params{"role": 600}).OK()
	w.mia.Do(http.MethodGet, "/user_groups", nil).Fails(400, bad, "Not allowed for guest users")
	renewed := struct {
		Key string `json:"api_key"`
	}{}
	w.mia.Do(http.MethodPost, "/users/me/api_key/regenerate", nil).OK().Decode(&renewed)
	w.mia.Do(http.MethodGet, "/users/me", nil).Fails(401, "UNAUTHORIZED", "Invalid API key")
	w.mia.Key = renewed.Key
	w.mia.Do(http.MethodGet, "/users/me", nil).OK()
	w.olga.Do(http.MethodDelete, "/users/"+w.mia.ID.String(), nil).OK()
	w.mia.Do(http.MethodGet, "/users/me", nil).Fails(401, "UNAUTHORIZED", "Account is deactivated")
	w.olga.Do(http.MethodPost, "/users/"+w.mia.ID.String()+"/reactivate", nil).OK()
	w.mia.Do(http.MethodGet, "/users/me", nil).OK()
}
