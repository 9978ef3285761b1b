package subscriptions_test

import (
	"net/http"
	"slices"
	"testing"

	"chatserver.dev/services/servicetest"
)

func TestMembers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	gone := w.ann.NewStream("gone", nil)
	w.admin.Do(http.MethodPost, own, params{"subscriptions": `[{"name":"Hall"}]`, "principals": servicetest.IDs(w.admin, w.bob)}).OK()
	w.db.Exec("update users set active = false where user_id = $1", w.bob.ID)
	w.ann.Do(http.MethodDelete, own, params{"subscriptions": `["gone"]`}).OK()
	members := func(a servicetest.Account, stream int64) servicetest.Answer {
		return a.Do(http.MethodGet, at("/streams/%d/members", stream), nil)
	}
	inHall := servicetest.IDs(w.ann, w.gus, w.robot, w.admin)
	slices.Sort(inHall)
	for _, test := range []struct {
		who    servicetest.Account
		stream int64
		want   []int64
	}{
		{w.ann, w.hall, inHall},
		{w.owner, w.hall, inHall},
		{w.gus, w.hall, inHall},
		{w.robot, w.hall, inHall},
		{w.ann, w.cave, servicetest.IDs(w.ann)},
		{w.admin, w.cave, servicetest.IDs(w.ann)},
		{w.owner, w.cave, servicetest.IDs(w.ann)},
		{w.ann, gone, []int64{}},
	} {
		reply := struct{ Subscribers []int64 }{}
		members(test.who, test.stream).OK().Decode(&reply)
		servicetest.Same(t, test.who.FullName, test.want, reply.Subscribers)
	}
	for _, test := range []struct {
		who    servicetest.Account
		stream int64
	}{{w.robot, w.cave}, {w.gus, w.cave}, {w.gus, gone}, {w.stranger, w.hall}, {w.admin, 99999}} {
		members(test.who, test.stream).Fails(400, "BAD_REQUEST", "Invalid stream id")
	}
}
