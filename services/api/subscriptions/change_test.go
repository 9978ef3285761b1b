package subscriptions_test

import (
	"net/http"
	"strings"
	"testing"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/services/servicetest"
)

func TestChange(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	anns := w.ann.Watch("subscription")
	change := func(a servicetest.Account, p params) servicetest.Answer { return a.Do(http.MethodPatch, own, p) }
	const ok = `{"result":"success","msg":"",`
	servicetest.Same(t, "both", ok+`"subscribed":{"ann@chat.example":["attic"]},"already_subscribed":{"ann@chat.example":["cave"]},"removed":["Hall"],"not_removed":[]}`+"\n",
		change(w.ann, params{"add": `[{"name":"attic"},{"name":"CAVE"}]`, "delete": `["hall"]`}).OK().Body)
	servicetest.Same(t, "Ann's streams", "attic cave", w.subscribed(w.ann))
	servicetest.Same(t, "Ann's events", 2, len(anns.Events()))
	servicetest.Same(t, "adding", ok+`"subscribed":{"gus@chat.example":["attic"]},"already_subscribed":{},"unauthorized":["cave"],"removed":[],"not_removed":[]}`+"\n",
		change(w.bob, params{"add": `[{"name":"attic"},{"name":"cave"}]`, "principals": servicetest.IDs(w.gus), "authorization_errors_fatal": false}).OK().Body)
	servicetest.Same(t, "removing", ok+`"subscribed":{},"already_subscribed":{},"removed":["attic"],"not_removed":["cave"]}`+"\n",
		change(w.admin, params{"delete": `["attic","cave"]`, "principals": servicetest.IDs(w.gus)}).OK().Body)
	servicetest.Same(t, "a guest who leaves", ok+`"subscribed":{},"already_subscribed":{},"removed":["Hall"],"not_removed":[]}`+"\n",
		change(w.gus, params{"delete": `["Hall"]`}).OK().Body)
	servicetest.Same(t, "a stream that is left at once", ok+`"subscribed":{"bob@chat.example":["cellar"]},"already_subscribed":{},"removed":["cellar"],"not_removed":[]}`+"\n",
		change(w.bob, params{"add": `[{"name":"cellar"}]`, "delete": `["Cellar"]`}).OK().Body)
	change(w.owner, params{"add": `[{"name":"new"}]`, "invite_only": true, "message_retention_days": 7, "stream_post_policy": 2}).OK()
	made := mine(w.owner, w.owner.NewStream("new", nil))
	servicetest.Same(t, "settings of a new stream", []any{true, 7.0, 2.0}, []any{made["invite_only"], made["message_retention_days"], made["stream_post_policy"]})
}

func TestChangeRefuses(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	events := w.ann.Watch("subscription", "stream")
	const bad = "BAD_REQUEST"
	const fresh = `[{"name":"fresh"}]`
	for _, test := range []struct {
		who       servicetest.Account
		p         params
		code, msg string
	}{
		{w.ann, nil, "", `Nothing to do. Specify at least one of "add" or "delete".`},
		{w.ann, params{"add": "[]", "delete": "[]"}, "", `Nothing to do. Specify at least one of "add" or "delete".`},
		{w.gus, params{"add": fresh}, bad, "Not allowed for guest users"},
		{w.ann, params{"add": fresh, "delete": `["nowhere"]`}, bad, "Stream(s) (nowhere) do not exist"},
		{w.bob, params{"add": `[{"name":"fresh"},{"name":"cave"}]`}, "", "Unable to access stream (cave)."},
		{w.bob, params{"add": fresh, "delete": `["Hall"]`, "principals": servicetest.IDs(w.gus)}, "", "This action requires administrative rights"},
		{w.ann, params{"add": `[{"name":" "}]`}, bad, "Invalid stream name ''"},
		{w.ann, params{"add": `[{"name":"a\u0000b"}]`}, bad, "Stream name 'a\x00b' contains NULL (0x00) characters."},
		{w.ann, params{"add": `[{"name":"` + strings.Repeat("é", 61) + `"}]`}, bad, "Stream name too long (limit: 60 characters)."},
		{w.ann, params{"add": fresh, "message_retention_days": 0}, "REQUEST_VARIABLE_INVALID", "Bad value for 'message_retention_days': 0"},
		{w.ann, params{"delete": `[" "]`}, bad, "Invalid stream name ''"},
		{w.ann, params{"add": fresh, "message_retention_days": 7}, bad, "User cannot create stream with this settings."},
		{w.ann, params{"add": `[{"name":"fresh","x":1}]`}, bad, "Unexpected arguments: x"},
	} {
		w.unchanged(t, func() { test.who.Do(http.MethodPatch, own, test.p).Fails(400, test.code, test.msg) })
	}
	for i, test := range []struct {
		settings  string
		p         params
		code, msg string
	}{
		{`{"create_stream_policy": 2}`, params{"add": fresh}, bad, "User cannot create streams."},
		{`{"create_stream_policy": 1, "invite_to_stream_policy": 2}`, params{"add": fresh, "principals": servicetest.IDs(w.bob)}, "", "Only administrators can modify other users' subscriptions."},
		{
			`{"invite_to_stream_policy": 3, "waiting_period_threshold": 3}`,
			params{"add": fresh, "principals": servicetest.IDs(w.bob)},
			"",
			"Your account is too new to modify other users' subscriptions.",
		},
	} {
		w.db.Exec("update organizations set settings = settings || $1::text::jsonb", test.settings)
		newcomer := w.Person(at("Newcomer %d", i), actor.Member) // with no cached settings
		w.unchanged(t, func() { newcomer.Do(http.MethodPatch, own, test.p).Fails(400, test.code, test.msg) })
	}
	servicetest.Same(t, "events", []string{}, events.Events())
}
