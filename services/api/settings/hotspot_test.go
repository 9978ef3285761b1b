package settings_test

import (
	"net/http"
	"testing"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/services/servicetest"
)

// hints returns the names of the hints for an account.
func hints(of any) []any {
	names := []any{}
	for _, hint := range of.([]any) {
		names = append(names, hint.(object)["name"])
	}
	return names
}

func TestHotspot(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	ann, bob := w.Person("Ann", actor.Member), w.Person("Bob", actor.Member)
	queues := map[string]*servicetest.Queue{"ann": ann.Everything(nil), "bob": bob.Everything(nil)}
	names := []string{"intro_reply", "intro_streams", "intro_topics", "intro_gear", "intro_compose"}
	see := func(name string) {
		ann.Do(http.MethodPost, "/users/me/hotspots", params{"hotspot": `"` + name + `"`}).OK()
	}
	first := state(ann, "hotspots")["hotspots"].([]any)[0].(object)
	servicetest.Same(t, "delay", any(0.5), first["delay"])
	servicetest.Same(t, "the first", any("intro_reply"), first["name"])
	see("intro_streams") // out of order
	servicetest.Same(t, "the first is still there", []any{"intro_reply"}, hints(state(ann, "hotspots")["hotspots"]))
	see("intro_reply")
	see("intro_reply")
	received := w.EventsOf(queues)
	servicetest.Same(t, "others", 0, len(received["bob"]))
	got := []any{}
	for _, e := range received["ann"] {
		servicetest.Same(t, "type", any("hotspots"), e["type"])
		got = append(got, hints(e["hotspots"]))
	}
	servicetest.Same(t, "events", []any{[]any{"intro_reply"}, []any{"intro_topics"}, []any{"intro_topics"}}, got)
	for _, name := range names[2:] {
		see(name)
	}
	events := w.EventsOf(queues)["ann"]
	servicetest.Same(t, "the last event", []any{}, hints(events[len(events)-1]["hotspots"]))
	servicetest.Same(t, "the end", []any{}, hints(state(ann, "hotspots")["hotspots"]))
	servicetest.Same(t, "others' own", []any{"intro_reply"}, hints(state(bob, "hotspots")["hotspots"]))

	ann.Do(http.MethodPost, "/users/me/hotspots", params{"hotspot": `"intro_x"`}).Fails(http.StatusBadRequest, "", "Unknown hotspot: intro_x")
	ann.Do(http.MethodPost, "/users/me/hotspots", nil).Fails(http.StatusBadRequest, "REQUEST_VARIABLE_MISSING", "Missing 'hotspot' argument")
}
