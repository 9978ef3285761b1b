package presence_test

import (
	"net/http"
	"strings"
	"testing"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/pkg/user"
	"chatserver.dev/services/servicetest"
)

const statusPath = "/users/me/status"

func TestSetStatus(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	ann, guest := w.Person("Ann", actor.Member), w.Person("Guest", actor.Guest)
	robot, abroad := w.Bot("Robot", actor.GenericBot, ann), w.Account(w.NewOrg("other"), user.Draft{FullName: "Eve", Role: actor.Member})
	queues := map[string]*servicetest.Queue{"ann": ann.Everything(nil), "guest": guest.Everything(nil), "robot": robot.Everything(nil)}
	far := map[string]*servicetest.Queue{"eve": abroad.Everything(nil)}
	long := strings.Repeat("ä", 60)
	for _, c := range []struct {
		name  string
		set   params
		event object
		state object // nil: nothing is set
	}{
		{"text", params{"status_text": " in a meeting "}, object{"status_text": "in a meeting"}, object{"status_text": "in a meeting"}},
		{"away", params{"away": true}, object{"away": true}, object{"away": true, "status_text": "in a meeting"}},
		{"another text alone", params{"status_text": long}, object{"status_text": long}, object{"away": true, "status_text": long}},
		{"no text", params{"status_text": ""}, object{"status_text": ""}, object{"away": true}},
		{"a blank text", params{"status_text": "  "}, object{"status_text": ""}, object{"away": true}},
		{"back", params{"away": false}, object{"away": false}, nil},
		{"both", params{"away": true, "status_text": "at lunch"}, object{"away": true, "status_text": "at lunch"}, object{"away": true, "status_text": "at lunch"}},
		{"both back", params{"away": false, "status_text": ""}, object{"away": false, "status_text": ""}, nil},
	} {
		servicetest.Same(t, c.name+": answer", object{}, answer(guest.Do(http.MethodPost, statusPath, c.set)))
		c.event["type"], c.event["user_id"] = "user_status", float64(guest.ID)
		events := []object{c.event}
		servicetest.Same(t, c.name, map[string][]object{"ann": events, "guest": events, "robot": events}, w.EventsOf(queues))
		want := object{}
		if c.state != nil {
			want[guest.ID.String()] = c.state
		}
		state := answer(ann.Do(http.MethodPost, "/register", params{"fetch_event_types": []string{"user_status"}}))
		servicetest.Same(t, c.name+": initial state", want, member(state, "user_status"))
	}
	servicetest.Same(t, "elsewhere", map[string][]object{}, w.EventsOf(far))

	// The initial state has no statuses of deactivated accounts.
	guest.Do(http.MethodPost, statusPath, params{"away": true}).OK()
	storetest.Connect(t, w.DatabaseURL).Exec("update users set active = false where user_id = $1", guest.ID)
	state := answer(ann.Do(http.MethodPost, "/register", params{"fetch_event_types": []string{"user_status"}}))
	servicetest.Same(t, "after leaving", object{}, member(state, "user_status"))
}

func TestSetStatusRefused(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	ann := w.Person("Ann", actor.Member)
	robot := w.Bot("Robot", actor.GenericBot, ann)
	queues := map[string]*servicetest.Queue{"ann": ann.Everything(nil)}
	for _, r := range []refused{
		{nil, "", "Client did not pass any new values."},
		{params{"status_text": strings.Repeat("ä", 61)}, "BAD_REQUEST", "status_text is too long (limit: 60 characters)"},
		{params{"away": "yes"}, "BAD_REQUEST", `Argument "away" is not valid JSON.`},
		{params{"away": 1}, "BAD_REQUEST", "away is not a boolean"},
		{params{"status_text": "a\x00"}, "BAD_REQUEST", "status_text contains NULL (0x00) characters"},
	} {
		r.check(ann, statusPath)
	}
	refused{params{"away": true}, "", "This endpoint does not accept bot requests."}.check(robot, statusPath)
	servicetest.Same(t, "events", map[string][]object{}, w.EventsOf(queues))
}
