package accountpages_test

import (
	"net/http"
	"strings"
	"testing"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/services/servicetest"
)

// An invitation creates no account after it was withdrawn, or if its address already has an account.
func TestInvitationsThatEnd(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ann := w.Person("Ann", actor.Owner)
	ann.Subscribe("hall")
	hall := ann.StreamID("hall")
	send := func(email string) string {
		ann.Do(http.MethodPost, "/invites", params{"invitee_emails": email, "stream_ids": []int64{hall}}).OK()
		return path(w.Letter().Link)
	}
	list := struct {
		Invites []struct{ ID int64 }
	}{}
	bob := send("bob@corp.example")
	ann.Do(http.MethodGet, "/invites", nil).OK().Decode(&list)
	ann.Do(http.MethodDelete, "/invites/"+number(list.Invites[0].ID), nil).OK()
	w.open(bob).says(400, "This link isn&#39;t valid")
	w.submit(bob, "full_name", "Bob", "password", secret).says(400, "This link isn&#39;t valid")

	first, second := send("eve@corp.example"), send("Eve@Corp.example")
	w.submit(first, "full_name", "Eve", "password", secret).says(200, "Welcome")
	w.Letter() // greets her
	w.open(second).says(400, "This link isn&#39;t valid")
	w.submit(second, "full_name", "Eve", "password", secret).says(400, "This link isn&#39;t valid")

	kim := send("kim@corp.example")
	ann.Do(http.MethodPost, "/users", params{"email": "kim@corp.example", "full_name": "Kim", "password": secret}).OK()
	w.submit(kim, "full_name", "Kim", "password", secret).says(400, "Already has an account.")

	old := send("old@corp.example")
	storetest.Connect(t, w.DatabaseURL).Exec("update invitations set invited_at = now() - interval '10 days 1 minute'")
	w.open(old).says(400, "This link isn&#39;t valid")

	kit := send("kit@corp.example")
	storetest.Connect(t, w.DatabaseURL).Exec("update organizations set deactivated = true")
	w.submit(kit, "full_name", "Kit", "password", secret).says(403, "This organization has been deactivated.")
	if letters := w.Letters(); len(letters) > 0 {
		t.Errorf("%+v", letters)
	}
}

// An invitation is valid only as long as its sender may send it, so that a removed member can't return with a link of
// their own.
func TestInvitationsOfThoseWhoLeft(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	olga, ann := w.Person("Olga", actor.Owner), w.Person("Ann", actor.Administrator)
	olga.Subscribe("hall")
	hall := []int64{olga.StreamID("hall")}
	made := struct {
		Link string `json:"invite_link"`
	}{}
	ann.Do(http.MethodPost, "/invites/multiuse", params{"invite_as": 200, "stream_ids": hall}).OK().Decode(&made)
	byMail := func(email string, as int) string {
		ann.Do(http.MethodPost, "/invites", params{"invitee_emails": email, "invite_as": as, "stream_ids": hall}).OK()
		return path(w.Letter().Link)
	}
	admin, member := byMail("back@corp.example", 200), byMail("friend@corp.example", 400)
	w.submit(path(made.Link), "email", "again@corp.example").says(200, "Look into your mail")
	again := path(w.Letter().Link)
	watch := olga.Watch("invites_changed")
	listed := func() int {
		list := struct{ Invites []struct{ ID int64 } }{}
		olga.Do(http.MethodGet, "/invites", nil).OK().Decode(&list)
		return len(list.Invites)
	}
	const gone = "This link isn&#39;t valid"
	at := "/users/" + number(int64(ann.ID))
	olga.Do(http.MethodPatch, at, params{"role": 400}).OK()
	for _, link := range []string{path(made.Link), admin, again} {
		w.open(link).says(400, gone)
	}
	w.open(member).says(200, "friend@corp.example")
	if n := listed(); n != 1 {
		t.Errorf("%d invitations of a member are listed", n)
	}
	olga.Do(http.MethodDelete, at, nil).OK()
	for _, link := range []string{path(made.Link), admin, again, member} {
		w.open(link).says(400, gone)
		w.submit(link, "email", "x@corp.example", "full_name", "X", "password", secret).says(400, gone)
	}
	if n, sent := listed(), len(watch.Events()); n != 0 || sent != 2 {
		t.Errorf("%d invitations without a sender are listed, with %d events", n, sent)
	}
	// Somebody who comes back, and may invite as before, has to invite again.
	olga.Do(http.MethodPost, at+"/reactivate", nil).OK()
	olga.Do(http.MethodPatch, at, params{"role": 200}).OK()
	for _, link := range []string{path(made.Link), admin, again, member} {
		w.open(link).says(400, gone)
	}
	if n := listed(); n != 0 {
		t.Errorf("%d invitations are listed again", n)
	}
}

// If only administrators may invite, earlier invitations by members are invalid.
func TestInvitationsByAdminsOnly(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	olga, bob := w.Person("Olga", actor.Owner), w.Person("Bob", actor.Member)
	olga.Subscribe("hall")
	hall := []int64{olga.StreamID("hall")}
	byMail := func(from servicetest.Account, email string) string {
		from.Do(http.MethodPost, "/invites", params{"invitee_emails": email, "invite_as": 400, "stream_ids": hall}).OK()
		return path(w.Letter().Link)
	}
	of := map[string]string{"bob": byMail(bob, "friend@corp.example"), "olga": byMail(olga, "guest@corp.example")}
	olga.Do(http.MethodPatch, "/realm", params{"invite_by_admins_only": true}).OK()
	w.open(of["bob"]).says(400, "This link isn&#39;t valid")
	w.submit(of["bob"], "full_name", "X", "password", secret).says(400, "This link isn&#39;t valid")
	w.submit(of["olga"], "full_name", "New", "password", secret).says(200, "Welcome")
}

// first returns the names of the streams that a person joins with a link in a mail.
func (w *world) first(join, email string) string {
	w.t.Helper()
	w.submit(join, "full_name", "New", "password", secret).says(200, "Welcome")
	w.Letter() // greets them
	return strings.Join(storetest.Values[string](storetest.Connect(w.t, w.DatabaseURL), `select s.name from subscriptions b
		join streams s using (org_id, stream_id) join users u using (org_id, user_id) where u.email = $1 and b.active order by 1`, email), " ")
}

// An invitation doesn't subscribe to a stream to which its sender can't add others anymore. It does to a public
// stream that the invited person may join anyway.
func TestStreamsOfInvitations(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	olga, ann, bob := w.Person("Olga", actor.Owner), w.Person("Ann", actor.Administrator), w.Person("Bob", actor.Member)
	private := func(name string, people ...servicetest.Account) {
		for _, p := range people {
			olga.Do(http.MethodPost, "/users/me/subscriptions", params{
				"subscriptions": []params{{"name": name}}, "principals": []int64{int64(olga.ID), int64(p.ID)}, "invite_only": true,
			}).OK()
		}
	}
	private("den", ann, bob)
	private("vault", ann, bob)
	bob.Subscribe("hall")
	streams := []int64{bob.StreamID("den"), bob.StreamID("hall"), bob.StreamID("vault")}
	byMail := func(from servicetest.Account, email string, as int) string {
		from.Do(http.MethodPost, "/invites", params{"invitee_emails": email, "invite_as": as, "stream_ids": streams}).OK()
		return path(w.Letter().Link)
	}
	link := struct {
		Address string `json:"invite_link"`
	}{}
	ann.Do(http.MethodPost, "/invites/multiuse", params{"stream_ids": streams}).OK().Decode(&link)
	byLink := func(email string) string {
		w.submit(path(link.Address), "email", email).says(200, "Look into your mail")
		return path(w.Letter().Link)
	}
	policy := func(number int) { olga.Do(http.MethodPatch, "/realm", params{"invite_to_stream_policy": number}).OK() }
	joins := func(join, email, want string) {
		t.Helper()
		if got := w.first(join, email); got != want {
			t.Errorf("%s joins %q, want %q", email, got, want)
		}
	}

	const every = "den hall vault"
	joins(byMail(bob, "1@corp.example", 400), "1@corp.example", every)
	joins(byMail(bob, "2@corp.example", 600), "2@corp.example", every)
	joins(byLink("3@corp.example"), "3@corp.example", every)

	late, guest, resent := byMail(bob, "4@corp.example", 400), byMail(bob, "5@corp.example", 600), byMail(bob, "6@corp.example", 400)
	leaves := func(who servicetest.Account, names ...string) {
		who.Do(http.MethodDelete, "/users/me/subscriptions", params{"subscriptions": names}).OK()
	}
	leaves(bob, "den", "hall")
	joins(late, "4@corp.example", "hall vault")
	leaves(ann, "vault") // administrators have no more access to private streams than others
	joins(byLink("7@corp.example"), "7@corp.example", "den hall")
	policy(2)
	joins(guest, "5@corp.example", "")
	joins(resent, "6@corp.example", "hall")
	joins(byLink("8@corp.example"), "8@corp.example", "den hall")

	private("den", bob)
	sooner := byMail(bob, "9@corp.example", 400)
	policy(1)
	joins(sooner, "9@corp.example", every) // the state at the time of joining counts
}

// A reusable link admits people who confirm their address, until it expires.
func TestJoinByLink(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ann := w.Person("Ann", actor.Administrator)
	ann.Subscribe("hall", "porch")
	made := struct {
		Link string `json:"invite_link"`
	}{}
	ann.Do(http.MethodPost, "/invites/multiuse", params{"invite_as": 600, "stream_ids": []int64{ann.StreamID("porch")}}).OK().Decode(&made)
	w.open(path(made.Link)).says(200, `name="email"`)
	for _, name := range []string{"bob", "eve"} {
		w.submit(path(made.Link), "email", name+"@corp.example").says(200, "Look into your mail")
		join := path(w.Letter().Link)
		w.submit(join, "full_name", name, "password", secret).says(200, "Welcome")
		w.Letter() // greets them
	}
	sql := storetest.Connect(t, w.DatabaseURL)
	if guests := storetest.Values[int](sql, "select count(*)::int from users where role = 600"); guests[0] != 2 {
		t.Errorf("%d guests", guests[0])
	}
	// A person with an account gets a mail about it, and the page doesn't reveal it.
	w.submit(path(made.Link), "email", "bob@corp.example").says(200, "Look into your mail")
	if letter := w.Letter(); !strings.Contains(letter.Before[0], "You have an account there already") || strings.Contains(letter.Link, "/join/") {
		t.Errorf("%+v", letter)
	}
	w.submit(path(made.Link), "email", "kim@corp.example").says(200, "Look into your mail")
	kim := path(w.Letter().Link)
	list := struct {
		Invites []struct {
			ID      int64
			LinkURL string `json:"link_url"`
		}
	}{}
	ann.Do(http.MethodGet, "/invites", nil).OK().Decode(&list)
	if len(list.Invites) != 1 || list.Invites[0].LinkURL != made.Link {
		t.Errorf("%+v", list)
	}
	ann.Do(http.MethodDelete, "/invites/multiuse/"+number(list.Invites[0].ID), nil).OK()
	w.open(path(made.Link)).says(400, "This link isn&#39;t valid")
	late := w.submit(path(made.Link), "email", "late@corp.example")
	if late.says(400, "This link isn&#39;t valid"); strings.Contains(late.body, "on its way") {
		t.Errorf("it promises a mail:\n%s", late.body)
	}
	w.open(kim).says(400, "This link isn&#39;t valid")
	for _, link := range []string{"%00", "%ff", "x", strings.Repeat("A", 26), strings.Repeat("A", 25) + "%00"} {
		w.open("/invite/"+link).says(400, "This link isn&#39;t valid")
	}
}
