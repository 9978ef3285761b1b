package settings_test

import (
	"fmt"
	"net/http"
	"sync"
	"testing"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/user"
	"chatserver.dev/services/servicetest"
)

// every contains each notification setting with a value other than the default.
func every() object {
	return object{
		"enable_stream_desktop_notifications": true, "enable_stream_email_notifications": true, "enable_stream_push_notifications": true,
		"enable_stream_audible_notifications": true, "notification_sound": "chime", "enable_desktop_notifications": false,
		"enable_sounds": false, "enable_offline_email_notifications": false, "enable_offline_push_notifications": false,
		"enable_online_push_notifications": false, "enable_digest_emails": false, "enable_login_emails": false,
		"message_content_in_email_notifications": false, "pm_content_in_desktop_notifications": false, "wildcard_mentions_notify": false,
		"desktop_icon_count_display": 3.0, "realm_name_in_notifications": true, "presence_enabled": false,
	}
}

func TestNotifications(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	ann, bob := w.Person("Ann", actor.Guest), w.Person("Bob", actor.Owner)
	queues := map[string]*servicetest.Queue{"ann": ann.Everything(nil), "bob": bob.Everything(nil)}
	const path = "/settings/notifications"
	event := func(name string, value any) object {
		return object{"type": "update_global_notifications", "user": ann.RealEmail, "notification_name": name, "setting": value}
	}

	all := params{}
	for name, value := range every() {
		all[name] = value
	}
	all["notification_sound"] = `"chime"`
	servicetest.Same(t, "all changed", every(), patch(t, ann, path, all))
	events := w.EventsOf(queues)
	servicetest.Same(t, "number of events", len(every()), len(events["ann"]))
	for _, e := range events["ann"] {
		name, _ := e["notification_name"].(string)
		servicetest.Same(t, "event of "+name, event(name, every()[name]), e)
	}
	servicetest.Same(t, "others' events", 0, len(events["bob"]))

	servicetest.Same(t, "nothing new", object{}, patch(t, ann, path, all))
	servicetest.Same(t, "nothing at all", object{}, patch(t, ann, path, nil))
	servicetest.Same(t, "nothing known", object{}, patch(t, ann, path, params{"enter_sends": true, "dense_mode": false}))
	servicetest.Same(t, "events of nothing", map[string][]object{}, w.EventsOf(queues))

	servicetest.Same(t, "some new", object{"enable_sounds": true, "desktop_icon_count_display": 1.0},
		patch(t, ann, path, params{"enable_sounds": true, "desktop_icon_count_display": 1, "presence_enabled": false}))
	servicetest.Same(t, "events of some", map[string][]object{"ann": {event("desktop_icon_count_display", 1.0), event("enable_sounds", true)}}, w.EventsOf(queues))

	state := object{}
	ann.Do(http.MethodPost, "/register", params{"fetch_event_types": []string{"update_global_notifications"}}).OK().Decode(&state)
	want := every()
	want["enable_sounds"], want["desktop_icon_count_display"] = true, 1.0
	for name, value := range want {
		servicetest.Same(t, "then "+name, value, state[name])
	}
}

// Every sound in the response of a registration is accepted.
func TestNotificationSounds(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	ann := w.Person("Ann", actor.Member)
	for _, sound := range append(user.Sounds()[1:], user.Sounds()[0]) {
		servicetest.Same(t, sound, object{"notification_sound": sound},
			patch(t, ann, "/settings/notifications", params{"notification_sound": fmt.Sprintf("%q", sound)}))
		servicetest.Same(t, sound+" without quotes", object{}, patch(t, ann, "/settings/notifications", params{"notification_sound": sound}))
	}
	servicetest.Same(t, "a new one without quotes", object{"notification_sound": "chime"},
		patch(t, ann, "/settings/notifications", params{"notification_sound": "chime"}))
}

func TestNotificationsRefused(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	ann := w.Person("Ann", actor.Member)
	queues := map[string]*servicetest.Queue{"ann": ann.Everything(nil)}
	for _, refused := range []struct {
		params params
		msg    string
	}{
		{params{"notification_sound": `"gong"`}, "Invalid notification sound 'gong'"},
		{params{"notification_sound": `""`}, "Invalid notification sound ''"},
		{params{"notification_sound": `"ding`}, `Argument "notification_sound" is not valid JSON.`},
		{params{"notification_sound": "gong"}, "Invalid notification sound 'gong'"},
		{params{"notification_sound": ""}, "Invalid notification sound ''"},
		{params{"notification_sound": 3}, "Invalid notification sound '3'"},
		{params{"enable_sounds": 1}, "enable_sounds is not a boolean"},
		{params{"enable_sounds": ""}, `Argument "enable_sounds" is not valid JSON.`},
		{params{"enable_sounds": false, "presence_enabled": "yes"}, `Argument "presence_enabled" is not valid JSON.`},
		{params{"desktop_icon_count_display": true}, "desktop_icon_count_display is not an integer"},
		{params{"desktop_icon_count_display": 4}, "Invalid desktop_icon_count_display"},
		{params{"enable_sounds": false, "notification_sound": `"gong"`}, "Invalid notification sound 'gong'"},
	} {
		ann.Do(http.MethodPatch, "/settings/notifications", refused.params).Fails(http.StatusBadRequest, "BAD_REQUEST", refused.msg)
	}
	servicetest.Same(t, "events", map[string][]object{}, w.EventsOf(queues))
	robot := w.Bot("Robot", actor.GenericBot, ann)
	robot.Do(http.MethodPatch, "/settings/notifications", nil).Fails(http.StatusBadRequest, "", "This endpoint does not accept bot requests.")
}

// Concurrent changes don't revert each other, and each is reported once.
func TestNotificationsAtOnce(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	ann := w.Person("Ann", actor.Member)
	queues := map[string]*servicetest.Queue{"ann": ann.Everything(nil)}
	wg := sync.WaitGroup{}
	for name, value := range every() {
		if name == "notification_sound" {
			value = `"chime"`
		}
		for range 2 {
			wg.Go(func() { ann.Do(http.MethodPatch, "/settings/notifications", params{name: value}).OK() })
		}
	}
	wg.Wait()
	got := object{}
	for _, e := range w.EventsOf(queues)["ann"] {
		name, _ := e["notification_name"].(string)
		if got[name] != nil {
			t.Errorf("%s is reported twice", name)
		}
		got[name] = e["setting"]
	}
	servicetest.Same(t, "events", every(), got)
	servicetest.Same(t, "what is left to change", object{}, patch(t, ann, "/settings/notifications", params{"enable_sounds": false, "presence_enabled": false, "desktop_icon_count_display": 3}))
}
