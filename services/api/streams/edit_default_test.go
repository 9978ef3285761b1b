package streams_test

import (
	"net/http"
	"testing"
)

// A default stream may be private. Accounts without access get its changes in the list of default streams.
func TestEditPrivateDefault(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.ann.Do(http.MethodPost, "/users/me/subscriptions", params{"subscriptions": `[{"name":"cave"}]`, "principals": []int64{int64(w.admin.ID)}}).OK()
	w.admin.Do(http.MethodPost, "/default_streams", params{"stream_id": w.cave}).OK()
	watches := w.watches("default_streams")
	list := func() string { return `{"type":"default_streams","default_streams":[` + w.object(w.cave) + `]}` }
	const all = "Olga Ada Ann Bob Robot"
	for _, change := range []params{{"new_name": `"grotto"`}, {"description": `"deep"`}, {"is_private": false}, {"is_private": true}} {
		edit(w.admin, w.cave, change).OK()
		checkEvents(t, watches, to(all, list()))
	}
	edit(w.admin, w.hall, params{"new_name": `"Lounge"`}).OK()
	checkEvents(t, watches, map[string][]string{})
	edit(w.admin, w.cave, params{"is_private": false}).OK()
	for _, watch := range watches {
		watch.Events()
	}
	edit(w.admin, w.cave, params{"new_name": `"open"`}).OK() // everyone has access to it, and gets the event
	checkEvents(t, watches, map[string][]string{})
}

// The same is true of groups of default streams.
func TestEditPrivateInGroup(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.ann.Do(http.MethodPost, "/users/me/subscriptions", params{"subscriptions": `[{"name":"cave"}]`, "principals": []int64{int64(w.admin.ID)}}).OK()
	number := w.makeGroup("shift", "cave")
	watches := w.watches(groupEvents)
	for _, change := range []params{{"new_name": `"grotto"`}, {"description": `"deep"`}, {"is_private": false}, {"is_private": true}} {
		edit(w.admin, w.cave, change).OK()
		checkEvents(t, watches, to(nonGuests, grouped(w.group(number, "shift", "d", w.cave))))
	}
	edit(w.admin, w.hall, params{"new_name": `"Lounge"`}).OK()
	checkEvents(t, watches, map[string][]string{})
}
