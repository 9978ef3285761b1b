package invites_test

import (
	"net/http"
	"testing"

	"chatserver.dev/pkg/actor"
)

func TestWithdraw(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.send(w.member, "bob@corp.example", nil).OK()
	w.send(w.owner, "eve@corp.example", params{"invite_as": 100}).OK()
	w.admin.Do(http.MethodPost, "/invites/multiuse", nil).OK()
	all := w.list(w.admin)
	watch := w.admin.Watch("invites_changed")
	w.another.Do(http.MethodDelete, at(all[0].ID), nil).Fails(400, "BAD_REQUEST", "Must be an organization administrator")
	w.admin.Do(http.MethodDelete, at(all[1].ID), nil).Fails(400, "UNAUTHORIZED_PRINCIPAL", "Must be an organization owner")
	w.admin.Do(http.MethodDelete, at(all[2].ID), nil).Fails(400, "BAD_REQUEST", "No such invitation") // it is a link
	w.admin.Do(http.MethodDelete, at(999999), nil).Fails(400, "BAD_REQUEST", "No such invitation")
	w.member.Do(http.MethodDelete, at(all[0].ID), nil).OK()
	w.member.Do(http.MethodDelete, at(all[0].ID), nil).Fails(400, "BAD_REQUEST", "No such invitation")
	if events := watch.Events(); len(events) != 1 {
		t.Errorf("%v", events)
	}
	other := w.Person("Olga", actor.Owner)
	w.send(w.owner, "kim@corp.example", params{"invite_as": 100}).OK()
	all = w.list(other)
	other.Do(http.MethodDelete, at(all[len(all)-1].ID), nil).OK()
	// An invitation that hasn't been mailed yet isn't mailed anymore.
	if letter := w.Letter(); letter.To != "eve@corp.example" {
		t.Errorf("%+v", letter)
	}
}
