package bots_test

import (
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/services/servicetest"
)

// TestStreamsOfBots: bots contain the names of their default streams, so accounts that manage them get events when
// the streams are renamed or deactivated. Administrators get none if one of the streams is private.
func TestStreamsOfBots(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	admin, member := w.Person("Ann", actor.Administrator), w.Person("Mia", actor.Member)
	stream(member, "hall", false)
	stream(member, "vault", true)
	open, closed := made(w, member, "open", nil), made(w, member, "closed", nil)
	member.Do(http.MethodPatch, at(open), params{"default_sending_stream": "hall", "default_events_register_stream": "hall"}).OK()
	member.Do(http.MethodPatch, at(closed), params{"default_sending_stream": "vault", "default_events_register_stream": "hall"}).OK()
	both := map[string]*servicetest.Watch{"admin": admin.Watch("realm_bot"), "member": member.Watch("realm_bot")}
	found := struct {
		ID int64 `json:"stream_id"`
	}{}
	member.Do(http.MethodGet, "/get_stream_id", params{"stream": "hall"}).OK().Decode(&found)
	hall := "/streams/" + text(found.ID)
	changed := func(bot servicetest.Account, value string) []string {
		head := `{"type":"realm_bot","op":"update","bot":{"user_id":` + bot.ID.String() + `,`
		events := []string{head + `"default_events_register_stream":` + value + `}}`}
		if bot.ID == open.ID {
			events = append([]string{head + `"default_sending_stream":` + value + `}}`}, events...)
		}
		return events
	}
	check := func(value string) {
		t.Helper()
		want := map[string][]string{"admin": changed(open, value), "member": append(changed(open, value), changed(closed, value)...)}
		for name, watch := range both {
			if diff := cmp.Diff(want[name], watch.Events()); diff != "" {
				t.Errorf("%s, %s (-want +got):\n%s", value, name, diff)
			}
		}
	}
	admin.Do(http.MethodPatch, hall, params{"new_name": `"lounge"`}).OK()
	check(`"lounge"`)
	admin.Do(http.MethodPatch, hall, params{"description": `"words"`}).OK()
	admin.Do(http.MethodDelete, hall, nil).OK()
	check("null")
}
