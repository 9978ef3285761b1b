package events_test

import (
	"fmt"
	"math"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"chatserver.dev/pkg/actor"
	eventqueue "chatserver.dev/pkg/queue"
	"chatserver.dev/pkg/user"
	"chatserver.dev/services/servicetest"
)

// contents returns the texts of the messages among events.
func contents(events []servicetest.Event) []string {
	texts := []string(nil)
	for _, e := range events {
		if text, ok := e.Message["content"].(string); ok {
			texts = append(texts, text)
		}
	}
	return texts
}

func TestPollDeliversMessage(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	ann, bob := w.Person("Ann", actor.Member), w.Person("Bob", actor.Member)
	ann.Subscribe("boilers")
	bob.Subscribe("boilers")
	queue := bob.Register(servicetest.Params{"event_types": []string{"message"}, "fetch_event_types": []string{}})
	if queue.Last != -1 {
		t.Errorf("last_event_id %d", queue.Last)
	}
	got := make(chan []servicetest.Event)
	go func() { got <- queue.Poll() }()
	w.Parked(1)
	id := ann.SendStream("boilers", "valve 3", "it **leaks**")
	events := <-got
	if len(events) != 1 || events[0].Type != "message" {
		t.Fatalf("got %+v", events)
	}
	delete(events[0].Message, "timestamp")
	want := map[string]any{
		"id": float64(id), "type": "stream", "sender_id": float64(ann.ID), "sender_email": "ann@chat.example", "sender_full_name": "Ann",
		"sender_realm_str": "", "client": "Test", "subject": "valve 3", "topic_links": []any{}, "display_recipient": "boilers",
		"is_me_message": false, "reactions": []any{}, "submessages": []any{}, "content": "it **leaks**", "content_type": "text/x-markdown",
		"avatar_url": events[0].Message["avatar_url"], "recipient_id": events[0].Message["stream_id"], "stream_id": events[0].Message["stream_id"],
	}
	if diff := cmp.Diff(want, events[0].Message); diff != "" {
		t.Errorf("message (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{}, events[0].Flags); diff != "" {
		t.Errorf("flags (-want +got):\n%s", diff)
	}
}

func TestPollForms(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	ann, bob := w.Person("Ann", actor.Member), w.Person("Bob", actor.Member)
	ann.Subscribe("boilers")
	bob.Subscribe("boilers")
	rendered := bob.Register(servicetest.Params{"apply_markdown": true, "event_types": []string{"message"}})
	own := ann.Register(servicetest.Params{"event_types": []string{"message"}})
	other := ann.Register(servicetest.Params{"event_types": []string{"message"}})
	ann.Do(http.MethodPost, "/messages", servicetest.Params{
		"type": "stream", "to": "boilers", "topic": "x", "content": "@**Bob** <b>", "queue_id": own.ID, "local_id": "17 & 3",
	}).OK()
	got := rendered.Poll()[0]
	want := `<p><span class="user-mention" data-user-id="` + bob.ID.String() + `">@Bob</span> &lt;b&gt;</p>`
	if got.Message["content"] != want || got.Message["content_type"] != "text/html" {
		t.Errorf("content %v\nwant    %v", got.Message["content"], want)
	}
	if diff := cmp.Diff([]string{"mentioned"}, got.Flags); diff != "" {
		t.Errorf("flags (-want +got):\n%s", diff)
	}
	if local := own.Poll()[0].LocalMessageID; local == nil || *local != "17 & 3" {
		t.Errorf("local id %v", local)
	}
	if local := other.Poll()[0].LocalMessageID; local != nil {
		t.Errorf("local id %v in another queue", *local)
	}
}

// The rows of events.md, section 2.4.
func TestPollDecisions(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	ann, bob := w.Person("Ann", actor.Member), w.Person("Bob", actor.Member)
	ann.Subscribe("boilers")
	get := func(who servicetest.Account, params servicetest.Params) servicetest.Answer {
		return who.Do(http.MethodGet, "/events", params)
	}
	get(ann, servicetest.Params{"last_event_id": "-1"}).Fails(400, "BAD_REQUEST", "Missing 'queue_id' argument")
	queue := ann.Register(servicetest.Params{"event_types": []string{"message"}})
	get(ann, servicetest.Params{"queue_id": queue.ID}).Fails(400, "BAD_REQUEST", "Missing 'last_event_id' argument")
	for _, unknown := range []string{"nonsense", "1.2", "3:ABCDEFGHIJKLMNOPQRSTUVWXYZ", "99999.ABCDEFGHIJKLMNOPQRSTUVWXYZ", "3.ABCDEFGHIJKLMNOPQRSTUVWXYZ"} {
		get(ann, servicetest.Params{"queue_id": unknown, "last_event_id": "-1"}).
			Fails(400, "BAD_EVENT_QUEUE_ID", "Bad event queue id: "+unknown)
	}
	get(ann, servicetest.Params{"queue_id": queue.ID, "last_event_id": "x"}).
		Fails(400, "REQUEST_VARIABLE_INVALID", "Bad value for 'last_event_id': x")
	get(bob, servicetest.Params{"queue_id": queue.ID, "last_event_id": "-1"}).
		Fails(400, "BAD_REQUEST", "You are not authorized to get events from this queue")
	rival := w.Account(w.NewOrg("rival"), user.Draft{FullName: "Rita", Role: actor.Owner})
	get(rival, servicetest.Params{"queue_id": queue.ID, "last_event_id": "-1"}).
		Fails(400, "BAD_EVENT_QUEUE_ID", "Bad event queue id: "+queue.ID)
	get(ann, servicetest.Params{"queue_id": queue.ID, "last_event_id": "-2"}).
		Fails(400, "BAD_REQUEST", "An event newer than -2 has already been pruned!")

	for _, text := range []string{"a", "b", "c", "d", "e", "f"} {
		ann.SendStream("boilers", "x", text)
	}
	events := []servicetest.Event(nil)
	for len(events) < 6 { // until all are there
		queue.Last = -1
		events = queue.Pending()
	}
	// Numbers needn't begin at 0: events in the registration's snapshot may have used some.
	number := func(i int) int64 { return events[i].ID }
	at := func(last int64, want ...string) {
		t.Helper()
		reply := struct{ Events []servicetest.Event }{}
		get(ann, servicetest.Params{"queue_id": queue.ID, "last_event_id": last, "dont_block": true}).OK().Decode(&reply)
		if diff := cmp.Diff(want, contents(reply.Events)); diff != "" {
			t.Errorf("after %d (-want +got):\n%s", last, diff)
		}
	}
	at(-1, "a", "b", "c", "d", "e", "f")
	at(number(2), "d", "e", "f")
	at(number(2), "d", "e", "f")
	get(ann, servicetest.Params{"queue_id": queue.ID, "last_event_id": number(1), "dont_block": true}).
		Fails(400, "BAD_REQUEST", fmt.Sprintf("An event newer than %d has already been pruned!", number(1)))
	// A number between two events acknowledges the first of them.
	at(number(2)+1, "d", "e", "f")
	at(number(3)-1, "d", "e", "f")
	for _, ahead := range []int64{number(5) + eventqueue.Step, math.MaxInt64} {
		get(ann, servicetest.Params{"queue_id": queue.ID, "last_event_id": ahead, "dont_block": true}).
			Fails(400, "BAD_REQUEST", fmt.Sprintf("Event %d was not in this queue", ahead))
	}
	at(number(2), "d", "e", "f") // a number that is too high drops nothing
	at(number(5) + eventqueue.Step - 1)
	get(ann, servicetest.Params{"queue_id": queue.ID, "last_event_id": number(5) - 1, "dont_block": true}).
		Fails(400, "BAD_REQUEST", fmt.Sprintf("An event newer than %d has already been pruned!", number(5)-1))
	at(number(5))

	get(ann, servicetest.Params{"queue_id": queue.ID, "last_event_id": "5", "dont_block": "True"}).
		Fails(400, "BAD_REQUEST", `Argument "dont_block" is not valid JSON.`)
	made := struct {
		QueueID string `json:"queue_id"`
	}{}
	get(ann, servicetest.Params{"dont_block": true}).OK().Decode(&made)
	if made.QueueID == "" {
		t.Error("no queue was made")
	}
}

func TestPollDisplaced(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	ann := w.Person("Ann", actor.Member)
	ann.Subscribe("boilers")
	queue := ann.Register(servicetest.Params{"event_types": []string{"message"}})
	first, second := make(chan []servicetest.Event), make(chan []servicetest.Event)
	copied := *queue
	go func() { first <- copied.Poll() }()
	w.Parked(1)
	go func() { second <- queue.Poll() }()
	if got := <-first; len(got) != 0 {
		t.Errorf("the first poll got %v", got)
	}
	ann.SendStream("boilers", "x", "hello")
	if diff := cmp.Diff([]string{"hello"}, contents(<-second)); diff != "" {
		t.Errorf("second poll (-want +got):\n%s", diff)
	}
}
