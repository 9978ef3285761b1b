package invites_test

import (
	"fmt"
	"net/http"
	"testing"

	"chatserver.dev/pkg/storetest"
)

func TestEndLink(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.admin.Do(http.MethodPost, "/invites/multiuse", nil).OK()
	w.owner.Do(http.MethodPost, "/invites/multiuse", params{"invite_as": 100}).OK()
	w.send(w.owner, "bob@corp.example", nil).OK()
	all := w.list(w.admin)
	at := func(id int64) string { return fmt.Sprintf("/invites/multiuse/%d", id) }
	watch := w.admin.Watch("invites_changed")
	w.member.Do(http.MethodDelete, at(all[0].ID), nil).Fails(400, "UNAUTHORIZED_PRINCIPAL", "Must be an organization administrator")
	w.admin.Do(http.MethodDelete, at(all[1].ID), nil).Fails(400, "UNAUTHORIZED_PRINCIPAL", "Must be an organization owner")
	w.admin.Do(http.MethodDelete, at(all[2].ID), nil).Fails(400, "BAD_REQUEST", "No such invitation") // it was mailed
	w.owner.Do(http.MethodDelete, at(all[0].ID), nil).OK()
	w.owner.Do(http.MethodDelete, at(all[0].ID), nil).Fails(400, "BAD_REQUEST", "No such invitation")
	if stored := storetest.Values[int64](w.sql, "select count(*) from invitations"); stored[0] != 2 {
		t.Errorf("%d invitations are stored", stored[0])
	}
	if events := watch.Events(); len(events) != 1 {
		t.Errorf("%v", events)
	}
	w.sql.Exec("update invitations set mailed_at = now() - interval '11 days', invited_at = now() - interval '11 days'")
	w.admin.Do(http.MethodPost, "/invites/multiuse", nil).OK()
	if stored := storetest.Values[int64](w.sql, "select count(*) from invitations"); stored[0] != 1 {
		t.Errorf("%d invitations are stored, with those that have ended or expired", stored[0])
	}
}
