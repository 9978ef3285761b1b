package topics_test

import (
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/pkg/user"
	"chatserver.dev/services/servicetest"
)

type params = servicetest.Params

const path = "/users/me/subscriptions/muted_topics"

// world is a server with a public and a private stream, to which Ann is subscribed.
type world struct {
	*servicetest.World
	db         *storetest.Session
	ann        servicetest.Account
	hall, cave int64 // the public and the private stream
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{World: servicetest.New(t)}
	w.db = storetest.Connect(t, w.DatabaseURL)
	w.ann = w.Person("Ann", actor.Member)
	w.hall, w.cave = w.ann.NewStream("Hall", nil), w.ann.NewStream("cave", params{"invite_only": true})
	return w
}

func mute(a servicetest.Account, op, topic string, more params) servicetest.Answer {
	p := params{"op": op, "topic": topic}
	maps.Copy(p, more)
	return a.Do(http.MethodPatch, path, p)
}

// state returns the muted topics in the initial state, without their times.
func state(a servicetest.Account) string {
	reply := struct {
		MutedTopics [][3]any `json:"muted_topics"`
	}{}
	a.Do(http.MethodPost, "/register", params{"fetch_event_types": `["muted_topics"]`}).OK().Decode(&reply)
	names := []string{}
	for _, topic := range reply.MutedTopics {
		names = append(names, fmt.Sprint(topic[0], " ", topic[1]))
	}
	return strings.Join(names, ", ")
}

var times = regexp.MustCompile(`,1\d{9}]`)

func TestMute(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	bob, guest := w.Person("Bob", actor.Member), w.Person("Gus", actor.Guest)
	robot := w.Bot("Robot", actor.GenericBot, bob)
	anns, bobs := w.ann.Watch("muted_topics"), bob.Watch("muted_topics")
	hall, cave := params{"stream_id": w.hall}, params{"stream": "CAVE "}
	events := func(topics ...string) string {
		return `{"type":"muted_topics","muted_topics":[` + strings.Join(topics, ",") + `]}`
	}
	lunch, bats := fmt.Sprintf(`[%d,"Lunch",T]`, w.hall), fmt.Sprintf(`[%d,"bats <b>",T]`, w.cave)

	mute(w.ann, "add", " Lunch ", hall).OK()
	mute(w.ann, "add", "lUNCH", hall).Fails(400, "", "Topic already muted")
	mute(w.ann, "add", "bats <b>", cave).OK()
	mute(w.ann, "add", "lunch", params{"stream": "hall", "stream_id": w.hall}).Fails(400, "", "Topic already muted")
	if want, got := fmt.Sprintf("%d Lunch, %d bats <b>", w.hall, w.cave), state(w.ann); got != want {
		t.Errorf("Ann muted %q, want %q", got, want)
	}
	mute(w.ann, "remove", "LUNCH", hall).OK()
	mute(w.ann, "remove", "lunch", hall).Fails(400, "", "Topic is not muted")
	mute(w.ann, "remove", "bats <B>", params{"stream": "cave", "stream_id": w.cave}).OK()
	got := anns.Events()
	for i := range got {
		got[i] = times.ReplaceAllString(got[i], ",T]")
	}
	if diff := cmp.Diff([]string{events(lunch), events(lunch, bats), events(bats), events()}, got); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	if got := state(w.ann); got != "" {
		t.Errorf("Ann still mutes %q", got)
	}

	mute(bob, "add", "lunch", hall).OK() // access is enough
	mute(robot, "add", "lunch", hall).OK()
	mute(guest, "add", "lunch", hall).Fails(400, "BAD_REQUEST", "Invalid stream id")
	w.ann.Do(http.MethodPost, "/users/me/subscriptions", params{"subscriptions": `[{"name":"Hall"}]`, "principals": []int64{int64(guest.ID)}}).OK()
	mute(guest, "add", "lunch", hall).OK()
	guest.Do(http.MethodDelete, "/users/me/subscriptions", params{"subscriptions": `["Hall"]`}).OK()
	mute(guest, "remove", "lunch", hall).OK() // needs no access
	if got := bobs.Events(); len(got) != 1 {
		t.Errorf("Bob received %q", got)
	}
	if got := anns.Events(); len(got) != 0 {
		t.Errorf("Ann received others' events: %q", got)
	}
}

// After concurrent changes, the last event has the current list.
func TestMuteAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	events := w.ann.Watch("muted_topics")
	const topics = 12
	work := sync.WaitGroup{}
	for i := range topics {
		work.Go(func() {
			if answer := mute(w.ann, "add", strconv.Itoa(i), params{"stream_id": w.hall}); answer.Status != http.StatusOK {
				t.Errorf("mute: %s", answer.Body)
			}
		})
	}
	work.Wait()
	for i, event := range events.Events() {
		if listed := strings.Count(event, "],[") + 1; listed != i+1 {
			t.Errorf("event %d has %d topics", i, listed)
		}
	}
}

func TestMuteRefuses(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	bob, admin := w.Person("Bob", actor.Member), w.Person("Ada", actor.Administrator)
	other := w.Account(w.NewOrg("other"), user.Draft{FullName: "Olaf", Role: actor.Owner})
	mute(w.ann, "add", "lunch", params{"stream": "cave"}).OK()
	events := w.ann.Watch("muted_topics")
	const bad = "BAD_REQUEST"
	cave, hall := params{"stream_id": w.cave}, params{"stream_id": w.hall}
	for _, test := range []struct {
		who       servicetest.Account
		op, topic string
		more      params
		code, msg string
	}{
		{w.ann, "add", "x", nil, bad, "Please supply 'stream'."},
		{w.ann, "remove", "x", nil, bad, "Please supply 'stream'."},
		{w.ann, "toggle", "x", hall, bad, "Invalid op"},
		{w.ann, "add", strings.Repeat("ä", 61), hall, bad, "topic is too long (limit: 60 characters; sent: 61)"},
		{w.ann, "add", "x", params{"stream_id": "seven"}, bad, `Argument "stream_id" is not valid JSON.`},
		{w.ann, "add", "x", params{"stream": "Hall", "stream_id": w.cave}, bad, "Please choose one: 'stream' or 'stream_id'."},
		{w.ann, "remove", "lunch", params{"stream": "Hall", "stream_id": w.cave}, bad, "Please choose one: 'stream' or 'stream_id'."},
		{w.ann, "remove", "lunch", params{"stream": "cave", "stream_id": w.hall}, "", "Topic is not muted"},
		{w.ann, "remove", "lunch", params{"stream": "nowhere"}, "", "Topic is not muted"},
		{w.ann, "remove", "lunch", params{"stream_id": 987}, "", "Topic is not muted"},
		{w.ann, "add", "x", params{"stream": "nowhere"}, bad, "Invalid stream name 'nowhere'"},
		{w.ann, "add", "x", params{"stream_id": 987}, bad, "Invalid stream id"},
		{bob, "add", "x", cave, bad, "Invalid stream id"},
		{bob, "add", "x", params{"stream": "Cave"}, bad, "Invalid stream name 'Cave'"},
		{bob, "add", "x", params{"stream": "Cave", "stream_id": w.cave}, bad, "Invalid stream id"},
		{bob, "remove", "lunch", cave, "", "Topic is not muted"},
		{bob, "remove", "lunch", params{"stream": "Hall", "stream_id": w.cave}, "", "Topic is not muted"},
		{admin, "add", "x", cave, bad, "Invalid stream id"},
		{other, "add", "x", hall, bad, "Invalid stream id"},
		{other, "add", "x", params{"stream": "Hall"}, bad, "Invalid stream name 'Hall'"},
	} {
		mute(test.who, test.op, test.topic, test.more).Fails(400, test.code, test.msg)
	}
	w.ann.Do(http.MethodPatch, path, params{"op": "add", "stream": "Hall"}).Fails(400, "REQUEST_VARIABLE_MISSING", "Missing 'topic' argument")
	w.ann.Do(http.MethodPatch, path, params{"topic": "x", "stream": "Hall"}).Fails(400, "REQUEST_VARIABLE_MISSING", "Missing 'op' argument")
	if got := events.Events(); len(got) != 0 {
		t.Errorf("a failure sent events: %q", got)
	}
	if got := state(w.ann); got != strconv.FormatInt(w.cave, 10)+" lunch" {
		t.Errorf("a failed request changed the list to %q", got)
	}
}

// An event contains all muted topics, so their number is limited. An imported account with more keeps them, and may
// unmute.
func TestMuteMost(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	fill := func(first, last int) {
		w.db.Exec(`insert into muted_topics (org_id, user_id, stream_id, topic) select $1, $2, $3, 'topic ' || i from generate_series($4::int, $5::int) i`,
			w.Org.ID, w.ann.ID, w.hall, first, last)
	}
	fill(1, 999)
	in := params{"stream_id": w.hall}
	mute(w.ann, "add", "lunch", in).OK()
	events := w.ann.Watch("muted_topics")
	mute(w.ann, "add", "dinner", in).Fails(400, "BAD_REQUEST", "You have muted 1000 topics, which is the limit.")
	if got := events.Events(); len(got) != 0 {
		t.Errorf("a failure sent events: %q", got)
	}
	fill(1001, 1100)
	mute(w.ann, "remove", "lunch", in).OK()
}
