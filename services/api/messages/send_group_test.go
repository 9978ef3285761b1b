package messages_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/services/servicetest"
)

// group creates a user group.
func (w *world) group(by servicetest.Account, name string, members ...servicetest.Account) {
	w.T.Helper()
	by.Do(http.MethodPost, "/user_groups/create", params{"name": name, "description": "", "members": ids(members...)}).OK()
}

// Mentioning a group mentions each member who receives the message (rest-api.md, sections 2.2.7 and 7.5).
func TestSendToGroup(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ann, bob, cem := w.Person("Ann", actor.Member), w.Person("Bob", actor.Member), w.Person("Cem", actor.Guest)
	out, gone := w.Person("Out", actor.Member), w.Person("Gone", actor.Member)
	robot := w.Bot("Robot", actor.GenericBot, ann)
	w.stream(ann, "hall", params{"principals": ids(ann, bob, cem, gone)})
	w.group(ann, "ops", bob, cem, out, gone, robot)
	w.group(ann, "crew", bob)
	w.group(ann, "nobody")
	gone.Do(http.MethodDelete, "/users/me", nil).OK()
	const mentioned = int16(8)
	for _, test := range []struct {
		content string
		html    string // part of the HTML
		want    []servicetest.Account
	}{
		{"@*ops* look", `<span class="user-group-mention" data-user-group-id="`, []servicetest.Account{bob, cem, gone}},
		{"@*crew* and @**Cem**", "@crew</span>", []servicetest.Account{bob, cem}},
		{"@*crew* @*ops* @*crew*", "@ops</span>", []servicetest.Account{bob, cem, gone}},
		{"> @*crew*", "@crew</span>", []servicetest.Account{bob}},
		{"@*nobody*", "@nobody</span>", nil},
		{"@*Crew*", "@<em>Crew</em>", nil},
		{"`@*crew*`", "<code>@*crew*</code>", nil},
		{"@_*crew*", "@_<em>crew</em>", nil},
	} {
		message := ann.SendStream("hall", "t", test.content)
		want := map[int64]int16{}
		for _, member := range test.want {
			want[int64(member.ID)] = mentioned
		}
		servicetest.Same(t, test.content, want, w.flagged(message))
		html := storetest.Values[string](w.db, "select rendered from messages where message_id = $1", message)[0]
		if !strings.Contains(html, test.html) {
			t.Errorf("%s: %s", test.content, html)
		}
	}

	message := sent(ann, params{"type": "private", "to": ids(bob, out), "content": "@*ops*"})
	servicetest.Same(t, "in private", map[int64]int16{int64(bob.ID): mentioned, int64(out.ID): mentioned}, w.flagged(message))

	queues := map[string]*servicetest.Queue{"bob": bob.Everything(nil), "robot": robot.Everything(nil)}
	ann.SendStream("hall", "t", "@*crew* @*ops*")
	events := w.EventsOf(queues)
	servicetest.Same(t, "the robot, which isn't subscribed", 0, len(events["robot"]))
	servicetest.Same(t, "flags of the event", any([]any{"mentioned"}), events["bob"][0]["flags"])
}

func TestEditGroup(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ann, bob, cem := w.Person("Ann", actor.Member), w.Person("Bob", actor.Member), w.Person("Cem", actor.Member)
	out := w.Person("Out", actor.Member)
	w.stream(ann, "hall", params{"principals": ids(ann, bob, cem)})
	w.group(ann, "ops", bob, out)
	w.group(ann, "crew", cem, bob)
	message := ann.SendStream("hall", "t", "@*ops*")
	servicetest.Same(t, "flags", map[int64]int16{int64(bob.ID): 8}, w.flagged(message))
	edit(ann, message, params{"content": "@*crew*"}).OK()
	servicetest.Same(t, "flags", map[int64]int16{int64(bob.ID): 8, int64(cem.ID): 8}, w.flagged(message))
	edit(ann, message, params{"content": "nobody"}).OK()
	servicetest.Same(t, "flags", map[int64]int16{int64(bob.ID): 0, int64(cem.ID): 0}, w.flagged(message))
}

// The groups that a message mentions have at most a thousand members together. Further mentions stay text, and aren't
// looked up.
func TestSendToLargeGroups(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ann, bob := w.Person("Ann", actor.Member), w.Person("Bob", actor.Member)
	w.stream(ann, "hall", params{"principals": ids(ann, bob)})
	w.db.Exec(`insert into user_groups (org_id, name, description, members)
		select $1, 'g' || n, '', array(select $2::bigint + generate_series(1, 333)) from generate_series(1, 3) n`, w.Org.ID, bob.ID)
	w.group(ann, "two", ann, bob)
	w.group(ann, "one", bob)
	for content, want := range map[string]int{"@*g1* @*g2* @*g3* @*one*": 1, "@*g1* @*g2* @*g3* @*two*": 0, "@*two* @*g1* @*g2* @*g3*": 2} {
		servicetest.Same(t, content, want, len(w.flagged(ann.SendStream("hall", "t", content))))
	}
	w.group(ann, "last", bob)
	names := strings.Builder{}
	for i := range 500 {
		fmt.Fprintf(&names, "@*x%d* ", i)
	}
	servicetest.Same(t, "behind too many names", 0, len(w.flagged(ann.SendStream("hall", "t", names.String()+"@*last*"))))
}
