package invites_test

import (
	"net/http"
	"testing"
	"time"
)

func TestResend(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.send(w.member, "bob@corp.example", nil).OK()
	w.send(w.owner, "eve@corp.example", params{"invite_as": 100}).OK()
	first := w.Letters()
	w.sql.Exec("update invitations set invited_at = now() - interval '9 days'")
	all := w.list(w.admin)
	w.another.Do(http.MethodPost, at(all[0].ID)+"/resend", nil).Fails(400, "BAD_REQUEST", "Must be an organization administrator")
	w.admin.Do(http.MethodPost, at(all[1].ID)+"/resend", nil).Fails(400, "UNAUTHORIZED_PRINCIPAL", "Must be an organization owner")
	w.admin.Do(http.MethodPost, at(999999)+"/resend", nil).Fails(400, "BAD_REQUEST", "No such invitation")
	watch := w.admin.Watch("invites_changed")
	reply := struct{ Timestamp int64 }{}
	w.admin.Do(http.MethodPost, at(all[0].ID)+"/resend", nil).OK().Decode(&reply)
	if sent := time.Unix(reply.Timestamp, 0); time.Since(sent).Abs() > time.Minute {
		t.Error(sent)
	}
	if events := watch.Events(); len(events) != 0 {
		t.Errorf("%v", events)
	}
	if letter := w.Letter(); letter.To != "bob@corp.example" || letter.Link == first[0].Link {
		t.Errorf("%+v", letter)
	}
	w.sql.Exec(`insert into invitations (org_id, inviter_id, email, role, streams)
		select $1, $2, 'x' || i || '@corp.example', 400, '{}' from generate_series(1, 200) i`, w.Org.ID, w.admin.ID)
	w.admin.Do(http.MethodPost, at(all[0].ID)+"/resend", nil).
		Fails(400, "INVITATION_FAILED", quota)
	w.Invites.Mail = false
	w.admin.Do(http.MethodPost, at(all[0].ID)+"/resend", nil).Fails(400, "", "This server sends no mail. Its administrators have to set that up first.")
}

// If only administrators may invite, a member can't extend an invitation.
func TestResendByAdminsOnly(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.send(w.member, "bob@corp.example", nil).OK()
	w.send(w.admin, "eve@corp.example", nil).OK()
	all := w.list(w.admin)
	watch := w.admin.Watch("invites_changed")
	w.owner.Do(http.MethodPatch, "/realm", params{"invite_by_admins_only": true}).OK()
	w.member.Do(http.MethodPost, at(all[0].ID)+"/resend", nil).Fails(400, "BAD_REQUEST", "No such invitation")
	w.admin.Do(http.MethodPost, at(all[1].ID)+"/resend", nil).OK()
	if left := w.list(w.admin); len(left) != 1 || left[0].ID != all[1].ID {
		t.Errorf("%+v", left)
	}
	if events := watch.Events(); len(events) != 1 {
		t.Errorf("%v", events)
	}
	w.owner.Do(http.MethodPatch, "/realm", params{"invite_by_admins_only": false}).OK()
	w.member.Do(http.MethodPost, at(all[0].ID)+"/resend", nil).OK()
}
