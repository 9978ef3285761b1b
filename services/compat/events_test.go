package compat_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/services/compat"
	"chatserver.dev/services/servicetest"
)

// A client of the reference server registers, waits, and hears of a topic that its user muted.
func TestPollOfOtherClients(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	ann := w.Person("Ann", actor.Member)
	ann.Subscribe("boiler room")
	handler := compat.Wrap(w.Handler)
	call := func(userAgent, method, path string, form url.Values) map[string]any {
		t.Helper()
		body, query := form.Encode(), ""
		if method == http.MethodGet {
			body, query = "", "?"+body
		}
		r := httptest.NewRequestWithContext(t.Context(), method, "/api/v1"+path+query, strings.NewReader(body))
		r.Host = servicetest.Host
		r.Header.Set("Content-Type", formType)
		r.Header.Set("User-Agent", userAgent)
		r.SetBasicAuth(ann.RealEmail, ann.Key)
		recorder := httptest.NewRecorder()
		handler.ServeHTTP(recorder, r)
		answer := map[string]any{}
		if err := json.Unmarshal(recorder.Body.Bytes(), &answer); err != nil || answer["result"] != "success" {
			t.Errorf("%s %s: %v %s", method, path, err, recorder.Body)
		}
		return answer
	}
	type topic struct{ stream, name any }
	polled := make(chan []any, 1)
	list := func(muted any) []topic {
		topics := []topic{}
		tuples, ok := muted.([]any)
		if !ok {
			t.Fatalf("muted topics are %v", muted)
		}
		for _, tuple := range tuples {
			members, ok := tuple.([]any)
			if !ok || len(members) != 3 {
				t.Fatalf("a muted topic is %v", tuple)
			}
			topics = append(topics, topic{members[0], members[1]})
		}
		return topics
	}
	for _, userAgent := range []string{"ZulipPython/0.9 (Linux)", "Other/1"} {
		register := url.Values{"event_types": {`["muted_topics"]`}}
		queue, ok := call(userAgent, http.MethodPost, "/register", register)["queue_id"].(string)
		if !ok {
			t.Fatal("no queue")
		}
		go func() {
			answer := call(userAgent, http.MethodGet, "/events", url.Values{"queue_id": {queue}, "last_event_id": {"-1"}})
			events, _ := answer["events"].([]any)
			polled <- events
		}()
		w.Parked(1)
		call(userAgent, http.MethodPatch, "/users/me/subscriptions/muted_topics", url.Values{"stream": {"boiler room"}, "topic": {"lunch"}, "op": {"add"}})
		want := []topic{{"boiler room", "lunch"}}
		if userAgent == "Other/1" {
			want[0].stream = 1.0
		}
		options := cmp.AllowUnexported(topic{})
		event, ok := (<-polled)[0].(map[string]any)
		if !ok {
			t.Fatal("an event is no object")
		}
		if diff := cmp.Diff(want, list(event["muted_topics"]), options); diff != "" {
			t.Errorf("%s polled (-want +got):\n%s", userAgent, diff)
		}
		if diff := cmp.Diff(want, list(call(userAgent, http.MethodPost, "/register", register)["muted_topics"]), options); diff != "" {
			t.Errorf("%s registered (-want +got):\n%s", userAgent, diff)
		}
		call(userAgent, http.MethodPatch, "/users/me/subscriptions/muted_topics", url.Values{"stream": {"boiler room"}, "topic": {"lunch"}, "op": {"remove"}})
	}
}
