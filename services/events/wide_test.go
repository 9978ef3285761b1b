package events_test

import (
	"fmt"
	"net/http"
	"testing"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/testbed"
	"chatserver.dev/services/servicetest"
)

// texts returns the contents of message events with their flags.
func texts(t *testing.T, events []map[string]any) []string {
	t.Helper()
	list := []string{}
	for _, e := range events {
		message, ok := e["message"].(map[string]any)
		if !ok {
			t.Errorf("event %v", e)
			continue
		}
		if message["sender_full_name"] == "Ann" {
			list = append(list, fmt.Sprint(message["content"], " ", e["flags"]))
		}
	}
	return list
}

// Events of a public stream also enter queues of members who aren't subscribed, if the queues are for all public
// streams or have a narrow. This ends when the stream becomes private, and applies only to new messages (events.md,
// sections 2.9, 2.13 and 7, row 2).
func TestWideQueues(t *testing.T) {
	testbed.Slow(t)
	t.Parallel()
	w := servicetest.New(t)
	ada, ann, eve, gus := w.Person("Ada", actor.Administrator), w.Person("Ann", actor.Member), w.Person("Eve", actor.Member), w.Person("Gus", actor.Guest)
	robot, guest := w.Bot("Robot", actor.GenericBot, ann), w.Person("Gast", actor.Guest)
	ids := func(accounts ...servicetest.Account) []int64 {
		list := []int64{}
		for _, a := range accounts {
			list = append(list, int64(a.ID))
		}
		return list
	}
	ann.Do(http.MethodPost, "/users/me/subscriptions", servicetest.Params{
		"subscriptions": []map[string]string{{"name": "boilers"}}, "principals": ids(ann, ada, gus),
	}).OK()
	find := struct {
		ID int64 `json:"stream_id"`
	}{}
	ann.Do(http.MethodGet, "/get_stream_id", servicetest.Params{"stream": "boilers"}).OK().Decode(&find)
	change := func(p servicetest.Params) {
		ada.Do(http.MethodPatch, fmt.Sprintf("/streams/%d", find.ID), p).OK()
	}
	wide := servicetest.Params{"all_public_streams": true}
	narrow := func(terms ...string) servicetest.Params {
		pairs := [][]string{}
		for i := 0; i < len(terms); i += 2 {
			pairs = append(pairs, terms[i:i+2])
		}
		return servicetest.Params{"narrow": pairs}
	}
	queues := map[string]*servicetest.Queue{
		"member":             eve.Everything(nil),
		"wide":               eve.Everything(wide),
		"bot, wide":          robot.Everything(wide),
		"subscriber, wide":   ann.Everything(wide),
		"narrow":             eve.Everything(narrow("stream", "Boilers")),
		"another's name":     eve.Everything(narrow("stream", "furnaces")),
		"topic":              eve.Everything(narrow("topic", "VALVE", "is", "unread")),
		"another topic":      eve.Everything(narrow("stream", "boilers", "topic", "pumps")),
		"subscriber, narrow": ann.Everything(narrow("stream", "boilers")),
		"guest, narrow":      guest.Everything(narrow("stream", "boilers")),
		"subscribed guest":   gus.Everything(narrow("stream", "boilers")),
		"guest, topic":       guest.Everything(narrow("topic", "valve")),
	}
	check := func(what, text string, want map[string]string) {
		t.Helper()
		w.EventsOf(queues) // the events of changes are tested elsewhere
		stream := "boilers"
		if what == "renamed" {
			stream = "furnaces"
		}
		message := ann.SendStream(stream, "valve", text)
		got := map[string]string{}
		for name, events := range w.EventsOf(queues) {
			for i, one := range texts(t, events) {
				if got[name] = one; i > 0 {
					t.Errorf("%s, %s: more than one message", what, name)
				}
			}
		}
		for name, flags := range want {
			want[name] = text + " " + flags
		}
		servicetest.Same(t, what, want, got)
		// Later changes of the message are sent to accounts that have it.
		ann.Do(http.MethodPatch, fmt.Sprintf("/messages/%d", message), servicetest.Params{"content": text + " again"}).OK()
		ann.Do(http.MethodPost, fmt.Sprintf("/messages/%d/reactions", message), servicetest.Params{"emoji_name": "smile"}).OK()
		ada.Do(http.MethodDelete, fmt.Sprintf("/messages/%d", message), nil).OK()
		for name, events := range w.EventsOf(queues) {
			if name != "subscriber, wide" && name != "subscriber, narrow" && name != "subscribed guest" {
				t.Errorf("%s: %s got %v", what, name, events)
			}
		}
	}
	const none = "[]"
	subscribers := func(flags string) map[string]string {
		return map[string]string{"subscriber, wide": flags, "subscriber, narrow": flags, "subscribed guest": flags}
	}
	everyone := func(flags string) map[string]string {
		all := subscribers(flags)
		for _, name := range []string{"wide", "bot, wide", "narrow", "topic"} {
			all[name] = none
		}
		return all
	}
	check("public", "@**all** a", everyone("[wildcard_mentioned]"))
	change(servicetest.Params{"is_private": true})
	check("private", "b", subscribers(none))
	change(servicetest.Params{"is_private": false})
	check("public again", "c", everyone(none))
	change(servicetest.Params{"new_name": `"furnaces"`})
	check("renamed", "d", map[string]string{
		"subscriber, wide": none, "wide": none, "bot, wide": none, "topic": none, "another's name": none,
	})
	gus.Do(http.MethodPost, "/register", wide).Fails(400, "BAD_REQUEST", "User not authorized for this query")
}
