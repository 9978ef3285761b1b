package invites_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"chatserver.dev/pkg/actor"
)

func TestList(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	if all := w.list(w.member); len(all) != 0 {
		t.Errorf("%+v", all)
	}
	w.send(w.member, "bob@corp.example", nil).OK()
	w.send(w.owner, "eve@corp.example", params{"invite_as": 100}).OK()
	w.admin.Do(http.MethodPost, "/invites/multiuse", nil).OK()
	all := w.list(w.admin)
	want := []invitation{
		{Email: "bob@corp.example", Inviter: int64(w.member.ID), As: 400},
		{Email: "eve@corp.example", Inviter: int64(w.owner.ID), As: 100},
		{Inviter: int64(w.admin.ID), As: 400, Reused: true},
	}
	for i := range all {
		if (all[i].LinkURL == "") == all[i].Reused {
			t.Errorf("%+v", all[i])
		}
		all[i].ID, all[i].LinkURL = 0, ""
	}
	if diff := cmp.Diff(want, all); diff != "" {
		t.Errorf("invitations (-want +got):\n%s", diff)
	}
	if own := w.list(w.member); len(own) != 1 || own[0].Email != "bob@corp.example" {
		t.Errorf("%+v", own)
	}
	if own := w.list(w.another); len(own) != 0 {
		t.Errorf("%+v", own)
	}
	first := struct {
		Invites []struct{ Invited int64 }
	}{}
	w.member.Do(http.MethodGet, "/invites", nil).OK().Decode(&first)
	if at := time.Unix(first.Invites[0].Invited, 0); time.Since(at).Abs() > time.Minute {
		t.Error(at)
	}
	w.owner.Do(http.MethodPost, "/invites/multiuse", params{"invite_as": 100}).OK()
	hidden, shown := w.list(w.admin), w.list(w.owner)
	if last := hidden[len(hidden)-1]; last.As != 100 || !last.Reused || last.LinkURL != "" {
		t.Errorf("an administrator sees %+v", last)
	}
	if last := shown[len(shown)-1]; last.LinkURL == "" {
		t.Errorf("an owner sees %+v", last)
	}
	w.sql.Exec("update invitations set invited_at = now() - interval '10 days 1 minute' where role = 100")
	if all := w.list(w.admin); len(all) != 2 {
		t.Errorf("%+v", all)
	}
	w.Person("Gus", actor.Guest).Do(http.MethodGet, "/invites", nil).Fails(400, "BAD_REQUEST", "Not allowed for guest users")
}
