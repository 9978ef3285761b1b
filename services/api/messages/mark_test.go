package messages_test

import (
	"net/http"
	"testing"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/services/servicetest"
)

// reading is a server where ann and bob are subscribed to "hall" and ann to "private", a private stream. All messages
// are unread for ann. valves and Valves are the same topic.
type reading struct {
	*world
	ann, bob, guest                     servicetest.Account
	hall, closed                        int64
	valve, valveToo, pump, secret, note int64
	annsQueue, bobsQueue                *servicetest.Queue
}

func newReading(t *testing.T) *reading {
	t.Helper()
	w := newWorld(t)
	r := &reading{world: w, ann: w.Person("Ann", actor.Member), bob: w.Person("Bob", actor.Member), guest: w.Person("Gus", actor.Guest)}
	r.hall = w.stream(r.ann, "hall", nil)
	r.bob.Subscribe("hall")
	r.closed = w.stream(r.ann, "closed", params{"invite_only": true})
	for _, stream := range []int64{r.hall, r.closed} { // the notifications of their creation
		r.ann.Do(http.MethodPost, "/mark_stream_as_read", params{"stream_id": stream}).OK()
	}
	r.valve = r.bob.SendStream("hall", "valves", "it leaks")
	r.pump = r.bob.SendStream("hall", "pumps", "it hums")
	r.valveToo = r.bob.SendStream("hall", "Valves", "it leaks again")
	r.secret = r.ann.SendStream("closed", "valves", "by a script")
	r.note = sent(r.bob, toPeople(ids(r.ann)))
	only := params{"event_types": []string{"update_message_flags"}, "fetch_event_types": []string{}}
	r.annsQueue, r.bobsQueue = r.ann.Register(only), r.bob.Register(only)
	return r
}

// unread returns the unread messages of an account.
func unread(a servicetest.Account) []int64 {
	type in struct {
		IDs []int64 `json:"unread_message_ids"`
	}
	reply := struct {
		Unread struct {
			PMs     []in `json:"pms"`
			Streams []in `json:"streams"`
			Huddles []in `json:"huddles"`
		} `json:"unread_msgs"`
	}{}
	a.Do(http.MethodPost, "/register", params{"fetch_event_types": []string{"message", "update_message_flags"}}).OK().Decode(&reply)
	all := []int64{}
	for _, list := range [][]in{reply.Unread.PMs, reply.Unread.Streams, reply.Unread.Huddles} {
		for _, i := range list {
			all = append(all, i.IDs...)
		}
	}
	return sorted(all)
}

// flagEvent is an event about flags.
func flagEvent(operation, flag string, messages ...int64) servicetest.Event {
	return servicetest.Event{Type: "update_message_flags", Operation: operation, Flag: flag, Messages: append([]int64{}, messages...)}
}

// checkEvents checks the events in ann's queue, and that bob's queue has none.
func (r *reading) checkEvents(t *testing.T, want ...servicetest.Event) {
	t.Helper()
	got := []servicetest.Event{}
	for len(got) < len(want) {
		for _, e := range r.annsQueue.Poll() {
			e.ID = 0
			got = append(got, e)
		}
	}
	servicetest.Same(t, "events", want, got)
	r.bob.Do(http.MethodPost, "/mark_all_as_read", nil).OK()
	for _, e := range r.bobsQueue.Poll() {
		if e.Type != "update_message_flags" || !e.All {
			t.Errorf("bob got %+v", e)
		}
	}
	for _, e := range r.annsQueue.Pending() {
		t.Errorf("ann also got %+v", e)
	}
}
