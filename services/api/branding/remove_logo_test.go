package branding_test

import (
	"fmt"
	"image/color"
	"net/http"
	"testing"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/services/servicetest"
)

func TestRemoveLogo(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	olga, mia := w.Person("Olga", actor.Owner), w.Person("Mia", actor.Member)
	for _, night := range []string{"true", "false"} {
		olga.PostFile("/realm/logo", map[string]string{"night": night}, "logo.png", servicetest.PNG(t, 10, 10, color.Black)).OK()
	}
	queues := map[string]*servicetest.Queue{"mia": mia.Everything(nil)}
	mia.Do(http.MethodDelete, "/realm/logo", params{"night": true}).Fails(400, "UNAUTHORIZED_PRINCIPAL", "Must be an organization administrator")
	olga.Do(http.MethodDelete, "/realm/logo", params{"night": true}).OK()
	events := w.EventsOf(queues)["mia"]
	if len(events) != 1 || events[0]["property"] != "night_logo" || events[0]["data"].(map[string]any)["night_logo_source"] != "D" {
		t.Errorf("%v", events)
	}
	leads(t, mia, "/realm/logo", params{"night": true}, fmt.Sprintf("/icon/%d?v=1", w.Org.ID))
	leads(t, mia, "/realm/logo", params{"night": false}, fmt.Sprintf("/user_avatars/%d/realm/logo.png?v=2", w.Org.ID))
}
