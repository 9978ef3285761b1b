package messages_test

import (
	"net/http"
	"testing"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/user"
	"chatserver.dev/services/servicetest"
)

func TestTyping(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ann, bob, eve := w.Person("Ann", actor.Guest), w.Person("Bob", actor.Member), w.Person("Eve", actor.Owner)
	gone, robot := w.Person("Gone", actor.Member), w.Bot("Robot", actor.GenericBot, eve)
	queues := map[string]*servicetest.Queue{
		"ann": ann.Everything(nil), "bob": bob.Everything(nil), "eve": eve.Everything(nil), "robot": robot.Everything(nil),
	}
	w.db.Exec("update users set active = false where user_id = $1", gone.ID)
	typist := func(a servicetest.Account) map[string]any {
		return map[string]any{"user_id": float64(a.ID), "email": a.RealEmail}
	}
	events := func(op string, by servicetest.Account, to ...servicetest.Account) []map[string]any {
		recipients := []any{}
		for _, a := range to {
			recipients = append(recipients, typist(a))
		}
		return []map[string]any{{"type": "typing", "op": op, "sender": typist(by), "recipients": recipients}}
	}
	for _, c := range []struct {
		name string
		by   servicetest.Account
		op   string
		to   []int64
		want map[string][]map[string]any
	}{
		{"to one", ann, "start", ids(bob), map[string][]map[string]any{"ann": events("start", ann, ann, bob), "bob": events("start", ann, ann, bob)}},
		{
			"to a group with oneself", bob, "stop",
			[]int64{int64(eve.ID), int64(bob.ID), int64(ann.ID), int64(eve.ID)},
			map[string][]map[string]any{"ann": events("stop", bob, ann, bob, eve), "bob": events("stop", bob, ann, bob, eve), "eve": events("stop", bob, ann, bob, eve)},
		},
		{"to oneself", ann, "start", ids(ann), map[string][]map[string]any{"ann": events("start", ann, ann)}},
		{"to a bot", ann, "start", ids(robot), map[string][]map[string]any{"ann": events("start", ann, ann, robot), "robot": events("start", ann, ann, robot)}},
		{"by a bot", robot, "start", ids(ann), map[string][]map[string]any{"ann": events("start", robot, ann, robot), "robot": events("start", robot, ann, robot)}},
		{"to somebody who left", ann, "start", ids(gone), map[string][]map[string]any{"ann": events("start", ann, ann, gone)}},
	} {
		c.by.Do(http.MethodPost, "/typing", params{"op": c.op, "to": c.to}).OK()
		servicetest.Same(t, c.name, c.want, w.EventsOf(queues))
	}
	w.set(`{"email_address_visibility": 3}`)
	hidden := func(a servicetest.Account) map[string]any {
		return map[string]any{"user_id": float64(a.ID), "email": "user" + a.ID.String() + "@" + servicetest.Host}
	}
	zoe := w.Person("Zoe", actor.Member)
	zoe.Do(http.MethodPost, "/typing", params{"op": "start", "to": ids(bob)}).OK()
	servicetest.Same(t, "hidden addresses", []map[string]any{{
		"type": "typing", "op": "start", "sender": hidden(zoe), "recipients": []any{hidden(bob), hidden(zoe)},
	}}, w.EventsOf(map[string]*servicetest.Queue{"bob": queues["bob"]})["bob"][1:])
}

func TestTypingRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ann := w.Person("Ann", actor.Member)
	abroad := w.Account(w.NewOrg("other"), user.Draft{FullName: "Eve", Role: actor.Member})
	queues := map[string]*servicetest.Queue{"ann": ann.Everything(nil)}
	far := map[string]*servicetest.Queue{"eve": abroad.Everything(nil)}
	for _, refused := range []struct {
		params    params
		code, msg string
	}{
		{params{"op": "start", "to": []int64{}}, "BAD_REQUEST", "Missing parameter: 'to' (recipient)"},
		{params{"op": "begin", "to": ids(ann)}, "BAD_REQUEST", "Invalid 'op' value (should be start or stop)"},
		{params{"op": "start", "to": []int64{987654321}}, "BAD_REQUEST", "Invalid user ID 987654321"},
		{params{"op": "start", "to": []int64{0, int64(ann.ID)}}, "BAD_REQUEST", "Invalid user ID 0"},
		{params{"op": "start", "to": ids(abroad)}, "BAD_REQUEST", "Invalid user ID " + abroad.ID.String()},
		{params{"op": "start", "to": []string{ann.RealEmail}}, "BAD_REQUEST", "to[0] is not an integer"},
		{params{"op": "start", "to": ann.RealEmail}, "BAD_REQUEST", `Argument "to" is not valid JSON.`},
		{params{"op": "start", "to": 3}, "BAD_REQUEST", "to is not a list"},
		{params{"to": ids(ann)}, "REQUEST_VARIABLE_MISSING", "Missing 'op' argument"},
		{params{"op": "start"}, "REQUEST_VARIABLE_MISSING", "Missing 'to' argument"},
	} {
		ann.Do(http.MethodPost, "/typing", refused.params).Fails(http.StatusBadRequest, refused.code, refused.msg)
	}
	servicetest.Same(t, "events", map[string][]map[string]any{}, w.EventsOf(queues))
	servicetest.Same(t, "events elsewhere", map[string][]map[string]any{}, w.EventsOf(far))
}
