package compat_test

import (
	"net/http"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/services/servicetest"
)

// topic is a muted topic, without its time.
type topic struct{ Stream, Name any }

func topics(t *testing.T, tuples [][]any) []topic {
	t.Helper()
	list := []topic{}
	for _, tuple := range tuples {
		if len(tuple) != 3 {
			t.Fatalf("a muted topic is %v", tuple)
		}
		list = append(list, topic{tuple[0], tuple[1]})
	}
	return list
}

// Clients of the reference server get names of streams in muted topics, as they register and as they poll; those of
// streams that they can't see any more are left out. Others get ids.
func TestMutedTopics(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	ann, bob := w.Person("Ann", actor.Member), w.Person("Bob", actor.Member)
	ann.Subscribe(`boiler "room"`)
	bob.Do(http.MethodPost, "/users/me/subscriptions", servicetest.Params{
		"subscriptions": `[{"name":"cave"}]`, "invite_only": true, "principals": []int64{int64(ann.ID), int64(bob.ID)},
	}).OK()
	room, cave := float64(ann.StreamID(`boiler "room"`)), float64(ann.StreamID("cave"))
	mute := func(op string, stream float64, name string) {
		ann.Do(http.MethodPatch, "/users/me/subscriptions/muted_topics", servicetest.Params{"stream_id": stream, "topic": name, "op": op}).OK()
	}
	register := func(userAgent string) (queue string, muted []topic) {
		a, got := ann, struct {
			Queue string  `json:"queue_id"`
			Muted [][]any `json:"muted_topics"`
		}{}
		a.UserAgent = userAgent
		a.Do(http.MethodPost, "/register", servicetest.Params{"event_types": []string{"muted_topics"}}).OK().Decode(&got)
		return got.Queue, topics(t, got.Muted)
	}
	agents := []string{"ZulipPython/0.9 (Linux)", "Other/1"}
	queues, polled := map[string]string{}, map[string]chan []topic{}
	for _, userAgent := range agents {
		queues[userAgent], _ = register(userAgent)
		polled[userAgent] = make(chan []topic, 1)
	}
	poll := func(userAgent string, last int64) (lists [][]topic) {
		a, got := ann, struct {
			Events []struct {
				Muted [][]any `json:"muted_topics"`
			} `json:"events"`
		}{}
		a.UserAgent = userAgent
		a.Do(http.MethodGet, "/events", servicetest.Params{"queue_id": queues[userAgent], "last_event_id": strconv.FormatInt(last, 10)}).OK().Decode(&got)
		for _, e := range got.Events {
			lists = append(lists, topics(t, e.Muted))
		}
		return lists
	}
	for _, userAgent := range agents {
		go func() { polled[userAgent] <- poll(userAgent, -1)[0] }()
	}
	w.Parked(len(agents))
	mute("add", room, "a <b>")
	for userAgent, want := range map[string][]topic{agents[0]: {{`boiler "room"`, "a <b>"}}, agents[1]: {{room, "a <b>"}}} {
		if diff := cmp.Diff(want, <-polled[userAgent]); diff != "" {
			t.Errorf("%s, which waited (-want +got):\n%s", userAgent, diff)
		}
	}

	mute("add", cave, "c")
	ann.Do(http.MethodDelete, "/users/me/subscriptions", servicetest.Params{"subscriptions": `["cave"]`}).OK()
	mute("add", room, "d")
	for userAgent, want := range map[string][][]topic{
		agents[0]: {{{`boiler "room"`, "a <b>"}, {"cave", "c"}}, {{`boiler "room"`, "a <b>"}, {`boiler "room"`, "d"}}},
		agents[1]: {{{room, "a <b>"}, {cave, "c"}}, {{room, "a <b>"}, {cave, "c"}, {room, "d"}}},
	} {
		lists := [][]topic{}
		for last := int64(1000); len(lists) < len(want); last += int64(len(lists)) * 1000 { // both may be in one answer
			lists = append(lists, poll(userAgent, last)...)
		}
		if diff := cmp.Diff(want, lists); diff != "" {
			t.Errorf("%s polled (-want +got):\n%s", userAgent, diff)
		}
		if _, muted := register(userAgent); !cmp.Equal(want[1], muted) {
			t.Errorf("%s registered: %v", userAgent, muted)
		}
	}
}

// Clients of the reference server get addresses of subscribers, and others ids.
func TestMembers(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	ann, bob := w.Person("Ann", actor.Member), w.Person("Bob", actor.Member)
	w.Person("Cleo", actor.Member)
	hall := ann.NewStream("hall", nil)
	bob.Subscribe("hall")
	path := func(stream int64) string { return "/streams/" + strconv.FormatInt(stream, 10) + "/members" }
	for userAgent, want := range map[string][]any{
		"ZulipPython/0.9.1 (Linux)": {ann.RealEmail, bob.RealEmail},
		"Term/1.0":                  {float64(ann.ID), float64(bob.ID)},
	} {
		a, got := ann, map[string]any{}
		a.UserAgent = userAgent
		a.Do(http.MethodGet, path(hall), nil).OK().Decode(&got)
		if diff := cmp.Diff(any(want), got["subscribers"]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", userAgent, diff)
		}
		a.Do(http.MethodGet, path(hall+1000), nil).Fails(400, "BAD_REQUEST", "Invalid stream id")
	}
}

// The endpoints that clients of the reference server begin with have its version, and understand its name of a parameter.
func TestVersion(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	ann := w.Person("Ann", actor.Member)
	for _, c := range []struct {
		method, path string
		params       servicetest.Params
	}{
		{http.MethodGet, "/server_settings", nil},
		{http.MethodPost, "/register", servicetest.Params{"event_types": []string{"message"}, "client_gravatar": true}},
	} {
		got := map[string]any{}
		ann.Do(c.method, c.path, c.params).OK().Decode(&got)
		if got["zulip_version"] != "3.1" || got["zulip_feature_level"] != 27.0 {
			t.Errorf("%s: %v", c.path, got)
		}
	}
	for _, path := range []string{"/users", "/messages", "/users/" + strconv.FormatInt(int64(ann.ID), 10)} {
		params := servicetest.Params{"client_gravatar": "nonsense", "anchor": "newest", "num_before": 1, "num_after": 0}
		ann.Do(http.MethodGet, path, params).Fails(400, "BAD_REQUEST", `Argument "client_hosted_avatar" is not valid JSON.`)
	}
	ann.Do(http.MethodPost, "/register", servicetest.Params{"client_gravatar": "nonsense"}).Fails(400, "BAD_REQUEST", `Argument "client_hosted_avatar" is not valid JSON.`)
}
