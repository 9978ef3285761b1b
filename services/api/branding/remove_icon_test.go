package branding_test

import (
	"fmt"
	"image/color"
	"net/http"
	"testing"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/services/servicetest"
)

func TestRemoveIcon(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	olga, mia := w.Person("Olga", actor.Owner), w.Person("Mia", actor.Member)
	olga.PostFile("/realm/icon", nil, "icon.png", servicetest.PNG(t, 10, 10, color.Black)).OK()
	queues := map[string]*servicetest.Queue{"mia": mia.Everything(nil)}
	mia.Do(http.MethodDelete, "/realm/icon", nil).Fails(400, "UNAUTHORIZED_PRINCIPAL", "Must be an organization administrator")
	want := fmt.Sprintf("/icon/%d?v=3", w.Org.ID)
	for range 2 { // the second changes nothing
		reply := struct {
			URL string `json:"icon_url"`
		}{}
		olga.Do(http.MethodDelete, "/realm/icon", nil).OK().Decode(&reply)
		if reply.URL != want {
			t.Errorf("%s, want %s", reply.URL, want)
		}
	}
	if events := w.EventsOf(queues)["mia"]; len(events) != 3 || events[0]["data"].(map[string]any)["icon_source"] != "G" {
		t.Errorf("%v", events)
	}
	if got := w.Nobody().Page(fmt.Sprintf("/user_avatars/%d/realm/icon.png?v=2", w.Org.ID), nil); got.Code != http.StatusNotFound {
		t.Errorf("the picture is still there: %d", got.Code)
	}
}
