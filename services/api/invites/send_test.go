package invites_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/storetest"
)

func TestSend(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	watch, unheard := w.admin.Watch("invites_changed"), w.another.Watch("invites_changed")
	w.send(w.member, "Bob <bob@corp.example>,\n eve@corp.example, BOB@corp.example", nil).OK()
	if letters := w.Letters(); len(letters) != 2 {
		t.Errorf("%+v", letters)
	}
	if events := watch.Events(); len(events) != 1 || events[0] != `{"type":"invites_changed"}` {
		t.Errorf("administrators got %v", events)
	}
	if events := unheard.Events(); len(events) != 0 {
		t.Errorf("members got %v", events)
	}
}

func TestSendRefuses(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	robot, guest := w.Bot("Robot", actor.GenericBot, w.admin), w.Person("Gus", actor.Guest)
	w.send(robot, "bob@corp.example", nil).Fails(400, "", "This endpoint does not accept bot requests.")
	w.send(guest, "bob@corp.example", nil).Fails(400, "BAD_REQUEST", "Not allowed for guest users")
	w.send(w.member, "bob@corp.example", params{"invite_as": 300}).Fails(400, "", "Must be invited as an valid type of user")
	w.send(w.member, "bob@corp.example", params{"invite_as": 65536 + 200}).Fails(400, "", "Must be invited as an valid type of user")
	w.send(w.admin, "bob@corp.example", params{"invite_as": 100}).Fails(400, "UNAUTHORIZED_PRINCIPAL", "Must be an organization owner")
	w.send(w.member, "bob@corp.example", params{"invite_as": 200}).Fails(400, "", "Must be an organization administrator")
	w.send(w.member, " ,\n,", nil).Fails(400, "", "You must specify at least one email address.")
	w.send(w.member, "bob@corp.example", params{"stream_ids": "[]"}).Fails(400, "", "You must specify at least one stream for invitees to join.")
	w.send(w.admin, "bob@corp.example", params{"stream_ids": []int64{w.hall, w.vault}}).
		Fails(400, "", fmt.Sprintf("Stream does not exist with id: %d. No invites were sent.", w.vault))
	many := strings.Builder{}
	for i := range 101 {
		fmt.Fprintf(&many, "bob%d@corp.example,", i)
	}
	w.send(w.member, many.String(), nil).Fails(400, "BAD_REQUEST", "A call can invite at most 100 people to at most 100 streams (sent: 101 people, 1 streams).")
	w.send(w.member, "bob@corp.example", params{"stream_ids": slices.Repeat([]int64{w.hall}, 101)}).
		Fails(400, "BAD_REQUEST", "A call can invite at most 100 people to at most 100 streams (sent: 1 people, 101 streams).")
	w.sql.Exec(`update organizations set settings = settings || '{"invite_by_admins_only": true}'`)
	w.send(w.member, "bob@corp.example", nil).Fails(400, "UNAUTHORIZED_PRINCIPAL", "Must be an organization administrator")
	w.send(w.admin, "bob@corp.example", nil).OK()
	w.Invites.Mail = false
	w.send(w.admin, "bob@corp.example", nil).Fails(400, "", "This server sends no mail. Its administrators have to set that up first.")
}

// Errors are reported for each address, and no invitation is sent if any address has an error.
func TestSendToSomeWhoCannotBeInvited(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	gone := w.Person("Gone", actor.Member)
	w.sql.Exec("update users set active = false where user_id = $1", gone.ID)
	here := fmt.Sprintf(`["%s","Already has an account.",false]`, w.admin.RealEmail)
	was := fmt.Sprintf(`["%s","Account has been deactivated.",true]`, gone.RealEmail)
	failed(t, w.send(w.member, "bob@corp.example,"+w.admin.RealEmail+",nobody", nil),
		"Some emails did not validate, so we didn't send any invitations.", false, `[["nobody","Invalid address.",false],`+here+`]`)
	failed(t, w.send(w.member, w.admin.RealEmail+","+gone.RealEmail+",notification-bot@chat.example", nil),
		"We weren't able to invite anyone.", false, `[`+here+`,`+was+`,["notification-bot@chat.example","Reserved for system bots.",false]]`)
	w.sql.Exec(`update organizations set settings = settings || '{"emails_restricted_to_domains": true}'`)
	failed(t, w.send(w.member, "bob@corp.example,bob+x@corp.example", nil), "Some emails did not validate, so we didn't send any invitations.", false,
		`[["bob@corp.example","Outside your domain.",false],["bob+x@corp.example","Email addresses containing + are not allowed.",false]]`)
	w.sql.Exec(`update organizations set settings = settings || '{"emails_restricted_to_domains": false}'`)
	if letters := w.Letters(); len(letters) > 0 {
		t.Errorf("%+v", letters)
	}
	failed(t, w.send(w.member, "bob@corp.example,"+w.admin.RealEmail, nil),
		"Some of those addresses are already using Chatserver, so we didn't send them an invitation. We did send invitations to everyone else!", true, `[`+here+`]`)
	if letter := w.Letter(); letter.To != "bob@corp.example" {
		t.Errorf("%+v", letter)
	}
}

const quota = "Too many invitations were sent today, so we didn't send any. Try again tomorrow, or ask the server's administrators for a higher limit."

// Accounts and organizations can send a limited number a day, and new accounts none if anyone can join.
func TestSendQuota(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	insert := func(by, count int64) {
		w.sql.Exec(`insert into invitations (org_id, inviter_id, email, role, streams)
			select $1, $2, 'x' || i || '@corp.example', 400, '{}' from generate_series(1, $3::int) i`, w.Org.ID, by, count)
	}
	insert(int64(w.member.ID), 199)
	failed(t, w.send(w.member, "a@corp.example,b@corp.example", nil), quota, false, "[]")
	w.send(w.another, "a@corp.example,b@corp.example", nil).OK()
	w.Invites.Open = true
	failed(t, w.send(w.another, "c@corp.example", nil), quota, false, "[]")
	w.Invites.Open = false
	insert(int64(w.owner.ID), 800)
	failed(t, w.send(w.another, "c@corp.example", nil), quota, false, "[]")
	w.sql.Exec("update invitations set invited_at = now() - interval '1 day 1 minute'")
	w.send(w.another, "c@corp.example", nil).OK()
	w.sql.Exec(`update organizations set settings = settings || '{"invite_required": false}'`)
	failed(t, w.send(w.another, "d@corp.example", nil),
		"Your account is too new to send invites for this organization. Ask an organization admin, or a more experienced user.", false, "[]")
	w.send(w.admin, "d@corp.example", nil).OK()
}

// Mails count for the limit whether their invitation was sent before, withdrawn since, or accepted.
func TestQuotaCountsMails(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.sql.Exec(`insert into invitations (org_id, inviter_id, email, role, streams)
		select $1, $2, 'x' || i || '@corp.example', 400, '{}' from generate_series(1, 196) i`, w.Org.ID, w.member.ID)
	w.send(w.member, "a@corp.example,b@corp.example", nil).OK()
	invited := w.list(w.member)
	a, b := invited[len(invited)-2], invited[len(invited)-1]
	w.member.Do(http.MethodPost, at(a.ID)+"/resend", nil).OK()
	w.member.Do(http.MethodPost, at(a.ID)+"/resend", nil).OK()
	w.member.Do(http.MethodDelete, at(a.ID), nil).OK()
	w.owner.Do(http.MethodPost, "/users", params{"email": b.Email, "full_name": "Bob", "password": "correct horse battery"}).OK()
	failed(t, w.send(w.member, "c@corp.example", nil), quota, false, "[]")
	w.sql.Exec(`update invitations set mailed_at = now() - interval '1 day 1 minute',
		invited_at = least(invited_at, now() - interval '1 day 1 minute')`)
	w.send(w.member, "c@corp.example", nil).OK()
	w.member.Do(http.MethodPost, at(invited[0].ID)+"/resend", nil).OK()
	mails := storetest.Values[int64](w.sql, "select mails::bigint from invitations where invitation_id = $1 or invited_at = 'epoch'", invited[0].ID)
	if !slices.Equal(mails, []int64{1}) {
		t.Errorf("%v mails count, with those of invitations that have ended", mails)
	}
}
