package settings_test

import (
	"net/http"
	"testing"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/services/servicetest"
)

func TestDisplay(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	ann, bob, robot := w.Person("Ann", actor.Member), w.Person("Bob", actor.Guest), w.Bot("Robot", actor.GenericBot, w.Person("Eve", actor.Member))
	queues := map[string]*servicetest.Queue{"ann": ann.Everything(nil), "bob": bob.Everything(nil), "robot": robot.Everything(nil)}
	const path = "/settings/display"
	event := func(name string, value any) object {
		return object{"type": "update_display_settings", "user": ann.RealEmail, "setting_name": name, "setting": value}
	}
	want := object{
		"twenty_four_hour_time": true, "dense_mode": false, "starred_message_counts": true, "fluid_layout_width": true,
		"high_contrast_mode": true, "color_scheme": 2.0, "translate_emoticons": true, "left_side_userlist": true,
		"demote_inactive_streams": 3.0, "default_language": "de", "emojiset": "text", "timezone": "Europe/Vienna",
	}
	all := params{}
	for name, value := range want {
		all[name] = value
	}
	all["default_language"], all["emojiset"], all["timezone"] = `"de"`, `"text"`, `Europe/Vienna`
	servicetest.Same(t, "all changed", want, patch(t, ann, path, all))

	events := w.EventsOf(queues)
	everybody := []object{{
		"type": "realm_user", "op": "update",
		"person": object{"user_id": float64(ann.ID), "timezone": "Europe/Vienna"},
	}}
	servicetest.Same(t, "others' events", map[string][]object{"bob": everybody, "robot": everybody}, map[string][]object{"bob": events["bob"], "robot": events["robot"]})
	got := object{}
	for _, e := range events["ann"] {
		if e["type"] == "realm_user" {
			servicetest.Same(t, "time zone", everybody[0], e)
			got["person"] = true
			continue
		}
		name, _ := e["setting_name"].(string)
		expected := event(name, want[name])
		if name == "default_language" {
			expected["language_name"] = "Deutsch"
		}
		servicetest.Same(t, name, expected, e)
		got[name] = e["setting"]
	}
	want["person"] = true
	servicetest.Same(t, "events", want, got)

	servicetest.Same(t, "nothing new", object{}, patch(t, ann, path, all))
	servicetest.Same(t, "events of nothing", map[string][]object{}, w.EventsOf(queues))
	servicetest.Same(t, "one", object{"color_scheme": 1.0}, patch(t, ann, path, params{"color_scheme": 1, "timezone": `"Europe/Vienna"`}))
	servicetest.Same(t, "event of one", map[string][]object{"ann": {event("color_scheme", 1.0)}}, w.EventsOf(queues))

	state := object{}
	ann.Do(http.MethodPost, "/register", params{"fetch_event_types": []string{"update_display_settings"}}).OK().Decode(&state)
	want["color_scheme"] = 1.0
	delete(want, "person")
	for name, value := range want {
		servicetest.Same(t, "then "+name, value, state[name])
	}
}

func TestDisplayRefused(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	ann := w.Person("Ann", actor.Member)
	queues := map[string]*servicetest.Queue{"ann": ann.Everything(nil)}
	for _, refused := range []struct{ name, value, msg string }{
		{"color_scheme", "4", "Invalid color_scheme"},
		{"color_scheme", "0", "Invalid color_scheme"},
		{"color_scheme", `"1"`, "color_scheme is not an integer"},
		{"demote_inactive_streams", "4", "Invalid demote_inactive_streams"},
		{"emojiset", `"apple"`, "Invalid emojiset"},
		{"emojiset", "apple", "Invalid emojiset"},
		{"emojiset", "null", "emojiset is not a string"},
		{"timezone", "Mars/Phobos", "Invalid timezone"},
		{"default_language", `"xx"`, "Invalid default_language"},
		{"default_language", `""`, "Invalid default_language"},
		{"timezone", `""`, "Invalid timezone"},
		{"timezone", `"Mars/Phobos"`, "Invalid timezone"},
		{"timezone", `"Local"`, "Invalid timezone"},
		{"timezone", `"../Europe/Vienna"`, "Invalid timezone"},
		{"timezone", `"posix/Europe/Vienna"`, "Invalid timezone"},
		{"timezone", `"tzdata.zi"`, "Invalid timezone"},
		{"dense_mode", "1", "dense_mode is not a boolean"},
	} {
		ann.Do(http.MethodPatch, "/settings/display", params{refused.name: refused.value, "fluid_layout_width": true}).
			Fails(http.StatusBadRequest, "BAD_REQUEST", refused.msg)
	}
	servicetest.Same(t, "events", map[string][]object{}, w.EventsOf(queues))
	robot := w.Bot("Robot", actor.GenericBot, ann)
	robot.Do(http.MethodPatch, "/settings/display", nil).Fails(http.StatusBadRequest, "", "This endpoint does not accept bot requests.")
}

// If addresses are hidden, others get the displayed address.
func TestDisplayHidesAddresses(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	ann, bob := w.Person("Ann", actor.Member), w.Person("Bob", actor.Member)
	storetest.Connect(t, w.DatabaseURL).Exec(`update organizations set settings = settings || '{"email_address_visibility": 3}'`)
	queues := map[string]*servicetest.Queue{"ann": ann.Everything(nil), "bob": bob.Everything(nil)}
	patch(t, ann, "/settings/display", params{"timezone": `"UTC"`})
	shown := "user" + ann.ID.String() + "@" + servicetest.Host
	person := object{
		"type": "realm_user", "op": "update", "person": object{"user_id": float64(ann.ID), "timezone": "UTC"},
	}
	servicetest.Same(t, "events", map[string][]object{
		"ann": {{"type": "update_display_settings", "user": shown, "setting_name": "timezone", "setting": "UTC"}, person},
		"bob": {person},
	}, w.EventsOf(queues))
}
