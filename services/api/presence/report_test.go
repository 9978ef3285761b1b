package presence_test

import (
	"net/http"
	"testing"
	"time"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/presence"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/pkg/user"
	"chatserver.dev/services/servicetest"
)

const reportPath = "/users/me/presence"

// The receivers of the event of a report, and its forms.
func TestReportEvents(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	ann, guest := w.Person("Ann", actor.Member), w.Person("Guest", actor.Guest)
	robot, abroad := w.Bot("Robot", actor.GenericBot, ann), w.Account(w.NewOrg("other"), user.Draft{FullName: "Eve", Role: actor.Member})
	queues := map[string]*servicetest.Queue{
		"ann": ann.Everything(nil), "slim": guest.Everything(params{"slim_presence": true}), "robot": robot.Everything(nil),
	}
	far := map[string]*servicetest.Queue{"eve": abroad.Everything(nil)}
	report := func(status, client string) {
		t.Helper()
		servicetest.Same(t, "answer", object{}, answer(ann.Do(http.MethodPost, reportPath, params{"status": status, "client": client, "ping_only": true})))
	}
	// received returns the status and the client in the event that everyone received, or "".
	received := func() string {
		t.Helper()
		got := w.EventsOf(queues)
		if len(got) == 0 {
			return ""
		}
		what := ""
		for name, events := range got {
			servicetest.Same(t, name+": number of events", 1, len(events))
			e := recent(t, events[0], "server_timestamp")
			want := object{"type": "presence", "user_id": float64(ann.ID), "email": ann.RealEmail}
			if name == "slim" {
				delete(want, "email")
			}
			for client, says := range member(e, "presence") {
				says, _ := says.(object)
				status, _ := says["status"].(string)
				what = status + " " + client
				servicetest.Same(t, name+": client", object{"client": client, "status": status, "pushable": false}, recent(t, says, "timestamp"))
			}
			servicetest.Same(t, name+": number of clients", 1, len(member(e, "presence")))
			delete(e, "presence")
			servicetest.Same(t, name, want, e)
		}
		servicetest.Same(t, "number of receivers", len(queues), len(got))
		return what
	}
	for _, c := range []struct{ status, client, want string }{
		{"active", "website", "active website"},
		{"active", "website", ""},
		{"idle", "website", ""},
		{"idle", "ios", "idle ios"},
		{"idle", "ios", ""},
		{"active", "ios", "active ios"},
		{"active", "ZulipElectron", ""}, // the web site in another window
	} {
		report(c.status, c.client)
		servicetest.Same(t, c.status+" "+c.client, c.want, received())
	}
	reported(w, guest.ID, "website", presence.Active, 71*time.Second)
	guest.Do(http.MethodPost, reportPath, params{"status": "active", "client": "website", "ping_only": true}).OK()
	servicetest.Same(t, "active after a while", 3, len(w.EventsOf(queues)))
	servicetest.Same(t, "elsewhere", map[string][]object{}, w.EventsOf(far))
}

// The response contains everyone who was present, including the caller, in both forms.
func TestReportLists(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	db := storetest.Connect(t, w.DatabaseURL)
	ann, bob, gone, old := w.Person("Ann", actor.Member), w.Person("Bob", actor.Guest), w.Person("Gone", actor.Member), w.Person("Old", actor.Member)
	robot := w.Bot("Robot", actor.GenericBot, ann)
	db.Exec("update users set active = false where user_id = $1", gone.ID)
	idle := reported(w, bob.ID, "ios", presence.Idle, time.Hour)
	active := reported(w, bob.ID, "website", presence.Active, 2*time.Hour)
	for _, a := range []servicetest.Account{gone, robot} {
		reported(w, a.ID, "website", presence.Active, time.Minute)
	}
	reported(w, old.ID, "website", presence.Active, presence.Retention+time.Minute)

	got := recent(t, answer(ann.Do(http.MethodPost, reportPath, params{"status": "idle", "client": "website"})), "server_timestamp")
	own := member(got, "presences", ann.RealEmail)
	servicetest.Same(t, "own client", object{"client": "website", "status": "idle", "pushable": false}, recent(t, member(own, "website"), "timestamp"))
	servicetest.Same(t, "own aggregated", object{"client": "website", "status": "idle"}, recent(t, member(own, "aggregated"), "timestamp"))
	servicetest.Same(t, "number of own clients", 2, len(own))
	delete(member(got, "presences"), ann.RealEmail)
	legacy := object{bob.RealEmail: object{
		"aggregated": aggregated("ios", "idle", idle), "ios": client("ios", "idle", idle), "website": client("website", "active", active),
	}}
	servicetest.Same(t, "others", object{"presences": legacy}, got)

	slim := recent(t, answer(ann.Do(http.MethodPost, reportPath, params{"status": "idle", "slim_presence": true, "new_user_input": true})), "server_timestamp")
	servicetest.Same(t, "own, slim", object{}, recent(t, member(slim, "presences", ann.ID.String()), "idle_timestamp"))
	delete(member(slim, "presences"), ann.ID.String())
	slims := object{bob.ID.String(): object{"active_timestamp": active, "idle_timestamp": idle}}
	servicetest.Same(t, "others, slim", object{"presences": slims}, slim)

	// The initial state has the same content.
	state := func(p params) object {
		p["fetch_event_types"] = []string{"presence"}
		all := member(answer(bob.Do(http.MethodPost, "/register", p)), "presences")
		delete(all, ann.RealEmail)
		delete(all, ann.ID.String())
		return all
	}
	servicetest.Same(t, "initial state", legacy, state(params{}))
	servicetest.Same(t, "initial state, slim", slims, state(params{"slim_presence": true}))
}

// An account that hides its presence isn't shown, but sees others.
func TestReportUnseen(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	ann, bob := w.Person("Ann", actor.Member), w.Person("Bob", actor.Member)
	storetest.Connect(t, w.DatabaseURL).Exec(`update users set settings = '{"presence_enabled": false}' where user_id = $1`, ann.ID)
	queues := map[string]*servicetest.Queue{"ann": ann.Everything(nil), "bob": bob.Everything(nil)}
	at := reported(w, bob.ID, "ios", presence.Active, time.Minute)
	servicetest.Same(t, "ping", object{}, answer(ann.Do(http.MethodPost, reportPath, params{"status": "active", "ping_only": true})))
	got := recent(t, answer(ann.Do(http.MethodPost, reportPath, params{"status": "active"})), "server_timestamp")
	servicetest.Same(t, "answer", object{"presences": object{bob.RealEmail: object{
		"aggregated": aggregated("ios", "active", at), "ios": client("ios", "active", at),
	}}}, got)
	servicetest.Same(t, "events", map[string][]object{}, w.EventsOf(queues))
	ann.Do(http.MethodPost, reportPath, params{"status": "gone"}).Fails(http.StatusBadRequest, "BAD_REQUEST", "Invalid status: gone")
}

func TestReportRefused(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	ann := w.Person("Ann", actor.Member)
	robot := w.Bot("Robot", actor.GenericBot, ann)
	queues := map[string]*servicetest.Queue{"ann": ann.Everything(nil)}
	for _, r := range []refused{
		{params{"status": "away"}, "BAD_REQUEST", "Invalid status: away"},
		{params{"status": ""}, "BAD_REQUEST", "Invalid status: "},
		{params{"status": `"active"`}, "BAD_REQUEST", `Invalid status: "active"`},
		{params{"status": "active", "ping_only": 1}, "BAD_REQUEST", "ping_only is not a boolean"},
		{params{"status": "active", "new_user_input": "yes"}, "BAD_REQUEST", `Argument "new_user_input" is not valid JSON.`},
		{params{"status": "active", "slim_presence": 0}, "BAD_REQUEST", "slim_presence is not a boolean"},
		{nil, "REQUEST_VARIABLE_MISSING", "Missing 'status' argument"},
	} {
		r.check(ann, reportPath)
	}
	refused{params{"status": "active"}, "", "This endpoint does not accept bot requests."}.check(robot, reportPath)
	servicetest.Same(t, "nothing was kept", object{}, member(answer(ann.Do(http.MethodGet, "/realm/presence", nil)), "presences"))
	servicetest.Same(t, "events", map[string][]object{}, w.EventsOf(queues))
}

// A report whose event can't be recorded fails, and the next one is sent instead.
func TestReportWithoutLog(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	db := storetest.Connect(t, w.DatabaseURL)
	ann := w.Person("Ann", actor.Member)
	queues := map[string]*servicetest.Queue{"ann": ann.Everything(nil)}
	report := func() servicetest.Answer {
		return ann.Do(http.MethodPost, reportPath, params{"status": "active", "ping_only": true})
	}
	db.Exec("alter table event_log add constraint full_disk check (type <> 'presence') not valid")
	report().Fails(http.StatusInternalServerError, "", "Internal server error")
	db.Exec("alter table event_log drop constraint full_disk")
	report().OK()
	report().OK()
	servicetest.Same(t, "number of events", 1, len(w.EventsOf(queues)["ann"]))
}
