package messages_test

import (
	"net/http"
	"strings"
	"testing"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/testbed"
	"chatserver.dev/services/servicetest"
)

func TestMarkTopic(t *testing.T) {
	testbed.Slow(t)
	t.Parallel()
	r := newReading(t)
	mark := func(stream int64, topic string) {
		got := r.ann.Do(http.MethodPost, "/mark_topic_as_read", params{"stream_id": stream, "topic_name": topic})
		servicetest.Same(t, "answer", `{"result":"success","msg":""}`, strings.TrimSpace(got.OK().Body))
	}
	mark(r.hall, "VALVES")
	servicetest.Same(t, "unread", []int64{r.pump, r.secret, r.note}, unread(r.ann))
	mark(r.hall, "valves")
	mark(r.closed, "")
	servicetest.Same(t, "unread after the stream", []int64{r.pump, r.note}, unread(r.ann))
	mark(r.hall, "pumps")
	servicetest.Same(t, "unread in the end", []int64{r.note}, unread(r.ann))
	servicetest.Same(t, "rows that are needed still", int64(0), r.number("select count(*) from topic_marks"))
	r.checkEvents(
		t, flagEvent("add", "read", r.valve, r.valveToo), flagEvent("add", "read"), flagEvent("add", "read", r.secret),
		flagEvent("add", "read", r.pump),
	)
}

// What mentioned a bot where it isn't subscribed counts as a message of the topic, and of the stream.
func TestMarkDelivered(t *testing.T) {
	t.Parallel()
	r := newReading(t)
	robot := r.Bot("Robot", actor.GenericBot, r.ann)
	queue := robot.Register(params{"event_types": []string{"update_message_flags"}, "fetch_event_types": []string{}})
	call := func(topic string) int64 { return r.bob.SendStream("hall", topic, "@**Robot** "+topic) }
	valve, pump, gate := call("Valves"), call("pumps"), call("gates")
	left := func() []int64 { return all(robot, `[["is","unread"]]`) }
	servicetest.Same(t, "unread", []int64{valve, pump, gate}, left())
	robot.Do(http.MethodPost, "/mark_topic_as_read", params{"stream_id": r.hall, "topic_name": "valves"}).OK()
	servicetest.Same(t, "after the topic", []int64{pump, gate}, left())
	robot.Do(http.MethodPost, "/mark_stream_as_read", params{"stream_id": r.hall}).OK()
	servicetest.Same(t, "after the stream", []int64{}, left())
	call("valves")
	robot.Do(http.MethodPost, "/mark_all_as_read", nil).OK()
	servicetest.Same(t, "after everything", []int64{}, left())
	everything := flagEvent("add", "read")
	everything.All = true
	want, got := []servicetest.Event{flagEvent("add", "read", valve), flagEvent("add", "read", pump, gate), everything}, []servicetest.Event{}
	for len(got) < len(want) {
		for _, e := range queue.Poll() {
			e.ID = 0
			got = append(got, e)
		}
	}
	servicetest.Same(t, "events", want, got)
}

func TestMarkTopicRefuses(t *testing.T) {
	testbed.Slow(t)
	t.Parallel()
	r := newReading(t)
	stranger := r.Person("Stranger", actor.Member)
	for _, test := range []struct {
		who       servicetest.Account
		params    params
		code, msg string
	}{
		{r.ann, params{"stream_id": r.hall, "topic_name": "Nowhere"}, "BAD_REQUEST", "No such topic 'Nowhere'"},
		{stranger, params{"stream_id": r.hall, "topic_name": "valves"}, "BAD_REQUEST", "No such topic 'valves'"},
		{r.bob, params{"stream_id": r.closed, "topic_name": "valves"}, "BAD_REQUEST", "Invalid stream id"},
		{r.bob, params{"stream_id": r.closed, "topic_name": ""}, "BAD_REQUEST", "Invalid stream id"},
		{r.guest, params{"stream_id": r.hall, "topic_name": "valves"}, "BAD_REQUEST", "Invalid stream id"},
		{r.ann, params{"topic_name": "valves"}, "REQUEST_VARIABLE_MISSING", "Missing 'stream_id' argument"},
		{r.ann, params{"stream_id": r.hall}, "REQUEST_VARIABLE_MISSING", "Missing 'topic_name' argument"},
	} {
		r.unchanged(t, func() {
			test.who.Do(http.MethodPost, "/mark_topic_as_read", test.params).Fails(http.StatusBadRequest, test.code, test.msg)
		})
	}
	// A starred message belongs to the account, and so does its topic.
	r.flags(stranger, "add", "starred", r.valve)
	stranger.Do(http.MethodPost, "/mark_topic_as_read", params{"stream_id": r.hall, "topic_name": "valves"}).OK()
}
