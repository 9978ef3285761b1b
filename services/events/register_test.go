package events_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/testbed"
	"chatserver.dev/services/servicetest"
)

// The rows of events.md, sections 1.2, 1.3 and 1.8.
func TestRegisterRefuses(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	ann, guest := w.Person("Ann", actor.Member), w.Person("Gus", actor.Guest)
	for _, test := range []struct{ param, value, code, msg string }{
		{"narrow", `[["has","link"]]`, "BAD_REQUEST", "Operator has not supported."},
		{"narrow", `[["is","odd"]]`, "BAD_REQUEST", "Operator is:odd not supported."},
		{"narrow", `[["stream"]]`, "BAD_REQUEST", "narrow[0] should have exactly 2 items"},
		{"narrow", `[["is","private"]` + strings.Repeat(`,["is","private"]`, 10) + `]`, "BAD_REQUEST", "narrow has 11 terms: it may have 10 at most"},
		{"narrow", `[["is","private"],["stream","` + strings.Repeat("é", 201) + `"]]`, "BAD_REQUEST", "narrow[1][1] has 201 characters: an operand may have 200 at most"},
		{"narrow", `7`, "BAD_REQUEST", "narrow is not a list"},
		{"event_types", `x`, "BAD_REQUEST", `Argument "event_types" is not valid JSON.`},
		{"event_types", `[1]`, "BAD_REQUEST", "event_types[0] is not a string"},
		{"apply_markdown", `1`, "BAD_REQUEST", "apply_markdown is not a boolean"},
		{"queue_lifespan_secs", `x`, "REQUEST_VARIABLE_INVALID", "Bad value for 'queue_lifespan_secs': x"},
		{"queue_lifespan_secs", `-1`, "REQUEST_VARIABLE_INVALID", "Bad value for 'queue_lifespan_secs': -1"},
		{"client_capabilities", `{`, "BAD_REQUEST", `Argument "client_capabilities" is not valid JSON.`},
		{"client_capabilities", `[]`, "BAD_REQUEST", "client_capabilities is not a dict"},
		{"client_capabilities", `{}`, "BAD_REQUEST", "notification_settings_null key is missing from client_capabilities"},
		{"client_capabilities", `{"notification_settings_null":1}`, "BAD_REQUEST", `client_capabilities["notification_settings_null"] is not a boolean`},
		{"client_capabilities", `{"notification_settings_null":true,"x":1}`, "BAD_REQUEST", "client_capabilities contains a value that is not a boolean"},
	} {
		ann.Do(http.MethodPost, "/register", servicetest.Params{test.param: test.value}).Fails(400, test.code, test.msg)
	}
	ann.Do(http.MethodPost, "/register", servicetest.Params{
		"event_types": []string{}, "narrow": `[["stream","` + strings.Repeat("é", 200) + `"]` + strings.Repeat(`,["is","private"]`, 9) + `]`,
	}).OK()
	guest.Do(http.MethodPost, "/register", servicetest.Params{"all_public_streams": true}).
		Fails(400, "BAD_REQUEST", "User not authorized for this query")
}

// A queue that isn't polled ends; one without types of events doesn't.
func TestRegisteredQueues(t *testing.T) {
	testbed.Slow(t)
	t.Parallel()
	w := servicetest.New(t)
	ann, bob := w.Person("Ann", actor.Member), w.Person("Bob", actor.Member)
	ann.Subscribe("boilers")
	short := bob.Register(servicetest.Params{"queue_lifespan_secs": 1, "event_types": []string{}})
	narrow := bob.Register(servicetest.Params{"narrow": [][]string{{"stream", "boilers"}}, "event_types": []string{"message"}})
	public := bob.Register(servicetest.Params{"all_public_streams": true, "event_types": []string{"message"}})
	none := bob.Register(servicetest.Params{"event_types": []string{}})
	ann.SendStream("boilers", "x", "hello")
	for title, queue := range map[string]*servicetest.Queue{"narrow": narrow, "public": public} {
		if diff := cmp.Diff([]string{"hello"}, contents(queue.Poll())); diff != "" {
			t.Errorf("%s (-want +got):\n%s", title, diff)
		}
	}
	if got := none.Pending(); len(got) != 0 {
		t.Errorf("without types: %v", got)
	}
	time.Sleep(1500 * time.Millisecond)
	bob.Do(http.MethodGet, "/events", servicetest.Params{"queue_id": short.ID, "last_event_id": "-1"}).
		Fails(400, "BAD_EVENT_QUEUE_ID", "Bad event queue id: "+short.ID)
}

// A registration takes little space, whatever it requests (security, H4): unknown types aren't stored, and the least
// recently polled queue is removed for the next.
func TestQueuesOfAnAccount(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	bob, ann := w.Person("Bob", actor.Member), w.Person("Ann", actor.Member)
	ann.Subscribe("boilers")
	bob.Subscribe("boilers")
	junk := []string{strings.Repeat("x", 10_000), "message", strings.Repeat("y", 10_000), "message"}
	none := bob.Register(servicetest.Params{"event_types": []string{"nonsense"}, "fetch_event_types": []string{}})
	first := bob.Register(servicetest.Params{"event_types": junk, "fetch_event_types": []string{}})
	waits := make(chan []servicetest.Event, 1)
	go func() { waits <- first.Poll() }()
	w.Parked(1)
	newest := none
	for range 99 {
		newest = bob.Everything(nil)
	}
	queues, _, err := w.Redis.Registry(t.Context(), w.DB.Shard(bob.Org.ID))
	if err != nil {
		t.Fatal(err)
	}
	if len(queues) != 100 {
		t.Errorf("%d queues", len(queues))
	}
	for _, q := range queues {
		if q.ID == first.ID && !slices.Equal(q.Types, []string{"message"}) {
			t.Errorf("stored types: %.100q", q.Types)
		}
	}
	bob.Do(http.MethodGet, "/events", servicetest.Params{"queue_id": none.ID, "last_event_id": "-1"}).
		Fails(400, "BAD_EVENT_QUEUE_ID", "Bad event queue id: "+none.ID)
	ann.SendStream("boilers", "x", "hello")
	if diff := cmp.Diff([]string{"hello"}, contents(<-waits)); diff != "" {
		t.Errorf("the queue that was polled (-want +got):\n%s", diff)
	}
	newest.Poll()
}
