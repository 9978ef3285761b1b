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
	member.Subscribe("hall")
	member.NewStream("vault", params{"invite_only": true})
	open, closed := made(w, member, "open", nil), made(w, member, "closed", nil)
	member.Do(http.MethodPatch, at(open), params{"default_sending_stream": "hall", "default_events_register_stream": "hall"}).OK()
	member.Do(http.MethodPatch, at(closed), params{"default_sending_stream": "vault", "default_events_register_stream": "hall"}).OK()
	both := map[string]*servicetest.Watch{"admin": admin.Watch("realm_bot"), "member": member.Watch("realm_bot")}
	hall := "/streams/" + text(member.StreamID("hall"))
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

	queue := open.Register(params{"event_types": []string{"message"}})
	member.Do(http.MethodPost, "/messages", params{"type": "private", "to": []int64{int64(open.ID)}, "content": "hello"}).OK()
	if got := len(queue.Poll()); got != 1 {
		t.Errorf("a bot whose default stream is deactivated gets %d messages, want 1", got)
	}
	open.Do(http.MethodPost, "/messages", params{"type": "stream", "topic": "x", "content": "hello"}).Fails(400, "BAD_REQUEST", "Missing stream")
}

// A bot that has become a guest since receives what guests do, whatever its default is.
func TestDefaultOfAGuest(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	admin, member := w.Person("Ann", actor.Administrator), w.Person("Mia", actor.Member)
	member.Subscribe("hall")
	bot := made(w, member, "bot", params{"default_all_public_streams": true})
	admin.Do(http.MethodPatch, "/users/"+member.ID.String(), params{"role": actor.Guest}).OK()
	queue := bot.Register(params{"event_types": []string{"message"}})
	admin.Subscribe("hall")
	admin.SendStream("hall", "x", "hello")
	admin.Do(http.MethodPost, "/messages", params{"type": "private", "to": []int64{int64(bot.ID)}, "content": "to you"}).OK()
	if got := len(queue.Poll()); got != 1 {
		t.Errorf("the bot of a guest gets %d messages, want the private one alone", got)
	}
}
