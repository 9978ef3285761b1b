package messages_test

import (
	"fmt"
	"net/http"
	"testing"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/user"
	"chatserver.dev/services/servicetest"
)

func TestRaw(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ann, bob := w.Person("Ann", actor.Member), w.Person("Bob", actor.Administrator)
	guest := w.Account(w.Org, user.Draft{FullName: "Gus", Role: actor.Guest})
	other := w.Account(w.NewOrg("rival"), user.Draft{FullName: "Eve", Role: actor.Owner})
	w.stream(ann, "open", nil)
	w.stream(ann, "closed", params{"invite_only": true})
	open, closed := ann.SendStream("open", "t", "a *wet* valve"), ann.SendStream("closed", "t", "a *wet* valve")
	private := sent(ann, with(toPeople(ids(guest)), "content", "a *wet* valve"))
	for _, c := range []struct {
		who     servicetest.Account
		message int64
		sees    bool
	}{
		{ann, open, true},
		{ann, closed, true},
		{ann, private, true},
		{bob, open, true},
		{bob, closed, false},
		{bob, private, false},
		{guest, open, false},
		{guest, private, true},
		{other, open, false},
		{ann, 987654321, false},
	} {
		got := c.who.Do(http.MethodGet, fmt.Sprintf("/messages/%d", c.message), nil)
		if !c.sees {
			got.Fails(http.StatusBadRequest, "BAD_REQUEST", "Invalid message(s)")
			continue
		}
		reply := map[string]string{}
		got.OK().Decode(&reply)
		servicetest.Same(t, "text", map[string]string{"result": "success", "msg": "", "raw_content": "a *wet* valve"}, reply)
	}
}
