package subscriptions_test

import (
	"net/http"
	"testing"

	"chatserver.dev/pkg/id"
	"chatserver.dev/services/servicetest"
)

func TestStatus(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.bob.Do(http.MethodPost, own, params{"subscriptions": `[{"name":"Hall"}]`}).OK()
	w.bob.Do(http.MethodDelete, own, params{"subscriptions": `["Hall"]`}).OK()
	status := func(a servicetest.Account, of id.User, stream int64) servicetest.Answer {
		return a.Do(http.MethodGet, at("/users/%d/subscriptions/%d", of, stream), nil)
	}
	for _, test := range []struct {
		who, of servicetest.Account
		stream  int64
		want    bool
	}{
		{w.bob, w.ann, w.hall, true},
		{w.bob, w.bob, w.hall, false}, // not anymore
		{w.gus, w.ann, w.hall, true},
		{w.robot, w.gus, w.hall, true},
		{w.ann, w.bob, w.cave, false},
		{w.admin, w.ann, w.cave, true},
	} {
		servicetest.Same(t, test.who.FullName+" asks about "+test.of.FullName, at(`{"result":"success","msg":"","is_subscribed":%v}`+"\n", test.want),
			status(test.who, test.of.ID, test.stream).OK().Body)
	}
	const bad = "BAD_REQUEST"
	status(w.ann, w.robot.ID, w.hall).Fails(400, bad, "No such user")
	status(w.ann, 99999, 99999).Fails(400, bad, "No such user")
	status(w.ann, w.stranger.ID, w.hall).Fails(400, bad, "No such user")
	status(w.bob, w.ann.ID, w.cave).Fails(400, bad, "Invalid stream id")
	status(w.stranger, w.stranger.ID, w.hall).Fails(400, bad, "Invalid stream id")
	w.db.Exec("update users set active = false where user_id = $1", w.gus.ID)
	status(w.ann, w.gus.ID, w.hall).Fails(400, bad, "User is deactivated")
}
