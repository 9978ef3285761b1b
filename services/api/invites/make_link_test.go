package invites_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"chatserver.dev/pkg/storetest"
	"chatserver.dev/services/servicetest"
)

func TestMakeLink(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	do := func(p params) string {
		reply := struct {
			Link string `json:"invite_link"`
		}{}
		w.admin.Do(http.MethodPost, "/invites/multiuse", p).OK().Decode(&reply)
		return reply.Link
	}
	watch := w.admin.Watch("invites_changed")
	one, two := do(nil), do(params{"invite_as": 600, "stream_ids": []int64{w.hall}})
	if !strings.HasPrefix(one, "https://chat.example/invite/") || len(one) < 50 || one == two {
		t.Errorf("%s and %s", one, two)
	}
	if events := watch.Events(); len(events) != 2 {
		t.Errorf("%v", events)
	}
	w.member.Do(http.MethodPost, "/invites/multiuse", nil).Fails(400, "UNAUTHORIZED_PRINCIPAL", "Must be an organization administrator")
	w.admin.Do(http.MethodPost, "/invites/multiuse", params{"invite_as": 100}).Fails(400, "UNAUTHORIZED_PRINCIPAL", "Must be an organization owner")
	w.admin.Do(http.MethodPost, "/invites/multiuse", params{"invite_as": 1}).Fails(400, "", "Must be invited as an valid type of user")
	w.admin.Do(http.MethodPost, "/invites/multiuse", params{"stream_ids": []int64{w.vault}}).
		Fails(400, "", fmt.Sprintf("Invalid stream id %d. No invites were sent.", w.vault))
	many := make([]int64, 101)
	w.admin.Do(http.MethodPost, "/invites/multiuse", params{"stream_ids": many}).
		Fails(400, "BAD_REQUEST", "A call can invite at most 100 people to at most 100 streams (sent: 0 people, 101 streams).")
	w.sql.Exec(`insert into invitations (org_id, inviter_id, link, role, streams)
		select $1, $2, 'x' || i, 400, '{}' from generate_series(1, 98) i`, w.Org.ID, w.admin.ID)
	w.admin.Do(http.MethodPost, "/invites/multiuse", nil).Fails(400, "BAD_REQUEST", "An organization can have at most 100 links to join by. Remove some first.")
	// Those of former administrators don't count, since nobody can remove them.
	w.sql.Exec("update users set role = 400 where user_id = $1", w.admin.ID)
	w.owner.Do(http.MethodPost, "/invites/multiuse", nil).OK()
}

// An administrator who has just become a member, and a member who has just become a guest, send nothing that would be valid when they are
// what they were again.
func TestInviteAfterALoss(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.send(w.admin, "before@corp.example", nil).OK()
	w.send(w.member, "earlier@corp.example", nil).OK()
	w.Remember()
	for _, a := range []servicetest.Account{w.admin, w.member} {
		a.Do(http.MethodGet, "/users/me", nil).OK()
	}
	w.owner.Do(http.MethodPatch, fmt.Sprintf("/users/%d", w.admin.ID), params{"role": 400}).OK()
	w.owner.Do(http.MethodPatch, fmt.Sprintf("/users/%d", w.member.ID), params{"role": 600}).OK()
	w.admin.Do(http.MethodPost, "/invites/multiuse", nil).Fails(400, "UNAUTHORIZED_PRINCIPAL", "Must be an organization administrator")
	w.admin.Do(http.MethodDelete, "/invites/multiuse/7", nil).Fails(400, "UNAUTHORIZED_PRINCIPAL", "Must be an organization administrator")
	w.send(w.admin, "x@corp.example", params{"invite_as": 200}).Fails(400, "", "Must be an organization administrator")
	const guest = "Not allowed for guest users"
	w.send(w.member, "x@corp.example", nil).Fails(400, "BAD_REQUEST", guest)
	sent := storetest.Values[int64](w.sql, "select invitation_id from invitations where inviter_id = $1", w.member.ID)[0]
	w.member.Do(http.MethodPost, fmt.Sprintf("/invites/%d/resend", sent), nil).Fails(400, "BAD_REQUEST", guest)
	w.member.Do(http.MethodDelete, fmt.Sprintf("/invites/%d", sent), nil).Fails(400, "BAD_REQUEST", guest)
	if made := storetest.Values[int](w.sql, "select count(*)::int from invitations")[0]; made != 2 {
		t.Errorf("%d invitations", made)
	}
}
