package events_test

import (
	"net/http"
	"slices"
	"testing"

	"chatserver.dev/pkg/actor"
	eventqueue "chatserver.dev/pkg/queue"
	"chatserver.dev/pkg/testbed"
	"chatserver.dev/services/servicetest"
)

// starred returns the starred messages in the state of a new registration.
func starred(a servicetest.Account) []int64 {
	reply := struct {
		Starred []int64 `json:"starred_messages"`
	}{}
	a.Do(http.MethodPost, "/register", servicetest.Params{"fetch_event_types": []string{"starred_messages"}}).OK().Decode(&reply)
	return reply.Starred
}

// Changes of flags while a client was away are sent one by one and in order, never merged. So a client that applies the
// events ends with the state of the server (events.md, sections 2.7 and 3.5).
func TestFlagsWhileAway(t *testing.T) {
	testbed.Slow(t)
	t.Parallel()
	w := servicetest.New(t)
	ann, bob := w.Person("Ann", actor.Member), w.Person("Bob", actor.Member)
	ann.Subscribe("boilers")
	messages := []int64{}
	for range 3 {
		messages = append(messages, ann.SendStream("boilers", "x", "it leaks"))
	}
	queue := ann.Register(servicetest.Params{"event_types": []string{"update_message_flags"}})
	others := bob.Register(servicetest.Params{"event_types": []string{"update_message_flags", "message"}})
	type step struct {
		op       string
		flag     string
		messages []int64
	}
	steps := []step{
		{"add", "read", messages[:1]},
		{"add", "read", messages[1:]},
		{"add", "starred", messages[:1]},
		{"remove", "starred", messages[:1]},
		{"add", "starred", messages[1:2]},
		{"add", "starred", messages[1:]},
		{"remove", "starred", messages[2:]},
	}
	for _, s := range steps {
		ann.Do(http.MethodPost, "/messages/flags", servicetest.Params{"messages": s.messages, "op": s.op, "flag": s.flag}).OK()
	}
	events := []servicetest.Event{}
	for len(events) < len(steps) {
		events = append(events, queue.Poll()...)
	}
	got, mine := []step{}, map[int64]bool{}
	for i, e := range events {
		got = append(got, step{e.Operation, e.Flag, e.Messages})
		if e.All || e.ID != events[0].ID+int64(i)*eventqueue.Step {
			t.Errorf("event %+v", e)
		}
		for _, message := range e.Messages {
			if e.Flag == "starred" {
				mine[message] = e.Operation == "add"
			}
		}
	}
	if !slices.EqualFunc(steps, got, func(a, b step) bool { return a.op == b.op && a.flag == b.flag && slices.Equal(a.messages, b.messages) }) {
		t.Errorf("got %v", got)
	}
	kept := []int64{}
	for _, message := range messages {
		if mine[message] {
			kept = append(kept, message)
		}
	}
	servicetest.Same(t, "starred", starred(ann), kept)
	bob.Do(http.MethodPost, "/messages", servicetest.Params{"type": "private", "to": []int64{int64(bob.ID)}, "content": "end"}).OK()
	servicetest.Same(t, "others' events", []string{"message"}, types(others.Poll()))
}
