package accountpages_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"chatserver.dev/pkg/account"
	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/login"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/password"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/services/api/accountpages"
	"chatserver.dev/services/servicetest"
)

// path returns the path of a link without the host.
func path(link string) string { return strings.TrimPrefix(link, "https://chat.example") }

func (w *world) streamID(of servicetest.Account, name string) int64 {
	w.t.Helper()
	found := struct {
		ID int64 `json:"stream_id"`
	}{}
	of.Do(http.MethodGet, "/get_stream_id", params{"stream": name}).OK().Decode(&found)
	return found.ID
}

// A person who is invited by mail joins with the invitation's streams and role, and all subscribers get the event.
func TestJoin(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ann := w.Person("Ann", actor.Owner)
	ann.Subscribe("hall", "porch", "team")
	hall, team := w.streamID(ann, "hall"), w.streamID(ann, "team")
	storetest.Connect(t, w.DatabaseURL).Exec(`update organizations set settings = settings || jsonb_build_object('signup_notifications_stream_id', $1::bigint)`, team)
	ann.Do(http.MethodPost, "/invites", params{"invitee_emails": "Bob <bob@corp.example>", "invite_as": 200, "stream_ids": []int64{hall}}).OK()
	letter := w.Letter()
	if letter.To != "bob@corp.example" || letter.Subject != "Ann invites you to Plant" || !strings.HasPrefix(letter.Link, "https://chat.example/join/") {
		t.Errorf("%+v", letter)
	}
	join := path(letter.Link)
	w.open(join).says(200, `value="bob@corp.example"`)
	w.submit(join, "full_name", "B", "password", secret).says(400, `<p class="problem" id="full_name-problem" role="alert">Name too short!</p>`)
	w.submit(join, "full_name", "Bob", "password", "bob@corp").says(400, `<p class="problem" id="password-problem" role="alert">The password is too weak.</p>`)
	page := w.submit(join, "full_name", `Bob "><script>`, "password", secret)
	if page.says(400, "Invalid characters in name!"); strings.Contains(page.body, "<script") {
		t.Error(page.body)
	}
	watching := ann.Watch("realm_user", "invites_changed", "message")
	w.submit(join, "full_name", "Bob", "password", secret).says(200, "Welcome")
	events := strings.Join(watching.Events(), "\n")
	for _, want := range []string{
		`{"type":"invites_changed"}`, `"op":"add","person":`, "just signed up. (total: **2**)", "accepted your invitation to join!",
	} {
		if !strings.Contains(events, want) {
			t.Errorf("no %s in %s", want, events)
		}
	}
	w.open(join).says(400, "This link isn&#39;t valid")
	w.submit(join, "full_name", "Bob", "password", secret).says(400, "This link isn&#39;t valid")
	list := struct{ Invites []any }{}
	if ann.Do(http.MethodGet, "/invites", nil).OK().Decode(&list); len(list.Invites) != 0 {
		t.Errorf("%+v", list)
	}

	issued := struct {
		Key string `json:"api_key"`
	}{}
	w.signsIn("bob@corp.example", secret).OK().Decode(&issued)
	bob := w.Nobody()
	bob.RealEmail, bob.Key = "bob@corp.example", issued.Key
	state := struct {
		IsAdmin       bool                    `json:"is_admin"`
		Subscriptions []struct{ Name string } `json:"subscriptions"`
		Unread        struct{ Pms []any }     `json:"unread_msgs"`
	}{}
	bob.Do(http.MethodPost, "/register", nil).OK().Decode(&state)
	if !state.IsAdmin || len(state.Subscriptions) != 1 || state.Subscriptions[0].Name != "hall" || len(state.Unread.Pms) != 1 {
		t.Errorf("%+v", state)
	}
}

// If there is a web client, a person who chooses a password is signed in to it, with a new key each time.
func TestSignedInAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(d *accountpages.Deps) { d.Client = true })
	ann := w.Person("Ann", actor.Owner)
	ann.Subscribe("hall")
	ann.Do(http.MethodPost, "/invites", params{"invitee_emails": "bob@corp.example", "stream_ids": []int64{w.streamID(ann, "hall")}}).OK()
	join := path(w.Letter().Link)
	w.open(join).says(200, "Go to Plant")
	if refused := w.request(http.MethodPost, join, "full_name=Bob&password="+secret, "Sec-Fetch-Site", "cross-site"); refused.header.Get("Set-Cookie") != "" {
		t.Errorf("another website signs its visitors in: %v", refused.header)
	}
	session := func(page shown) string {
		cookie := page.header.Get("Set-Cookie")
		if page.status != http.StatusSeeOther || page.header.Get("Location") != "/" || !strings.Contains(cookie, "HttpOnly; Secure; SameSite=Strict") {
			t.Fatalf("status %d, %v", page.status, page.header)
		}
		return cookie
	}
	first := session(w.submit(join, "full_name", "Bob", "password", secret, "next", "https://elsewhere.example"))
	again := w.submit(join, "full_name", "Bob", "password", secret)
	if again.says(400, "This link isn&#39;t valid"); again.header.Get("Set-Cookie") != "" || !strings.Contains(again.body, "ask whoever invited you") {
		t.Errorf("%v %s", again.header, again.body)
	}
	w.submit("/reset/", "email", "bob@corp.example").says(200, "Look into your mail")
	reset := path(w.Letter().Link)
	if second := session(w.submit(reset, "password", better)); second == first {
		t.Errorf("a session is used again: %s", second)
	}
	w.open(reset).says(400, `<a href="/reset/" class="button primary">`)
}

// Someone who joins while too many people are signing in loses nothing, and reads what to do.
func TestJoinWhilePasswordsAreBusy(t *testing.T) {
	t.Parallel()
	busy := func(d *accountpages.Deps) {
		deps := d.Logins.Deps
		deps.Hasher = password.NewHasher(0, 0)
		d.Client, d.Logins = true, login.New(deps)
	}
	w := newWorld(t, busy)
	ann := w.Person("Ann", actor.Owner)
	ann.Subscribe("hall")
	ann.Do(http.MethodPost, "/invites", params{"invitee_emails": "bob@corp.example", "stream_ids": []int64{w.streamID(ann, "hall")}}).OK()
	join := path(w.Letter().Link)
	page := w.submit(join, "full_name", "Bob", "password", secret)
	page.says(200, "Sign in with your password in a few seconds.")
	page.says(200, `<a href="/" class="button primary">Go to Plant</a>`)
	if strings.Contains(page.body, "program") {
		t.Error(page.body)
	}
	w.signsIn("bob@corp.example", secret).OK()
}

// An invitation creates no account after it was withdrawn, or if its address already has an account.
func TestInvitationsThatEnd(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ann := w.Person("Ann", actor.Owner)
	ann.Subscribe("hall")
	hall := w.streamID(ann, "hall")
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
	w.open(second).says(400, "This link isn&#39;t valid")
	w.submit(second, "full_name", "Eve", "password", secret).says(400, "This link isn&#39;t valid")

	kim := send("kim@corp.example")
	ann.Do(http.MethodPost, "/users", params{"email": "kim@corp.example", "full_name": "Kim", "password": secret}).OK()
	w.submit(kim, "full_name", "Kim", "password", secret).says(400, "Already has an account.")

	old := send("old@corp.example")
	storetest.Connect(t, w.DatabaseURL).Exec("update invitations set invited_at = now() - interval '10 days 1 minute'")
	w.open(old).says(400, "This link isn&#39;t valid")
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
	hall := []int64{w.streamID(olga, "hall")}
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
}

// If only administrators may invite, earlier invitations by members are invalid.
func TestInvitationsByAdminsOnly(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	olga, bob := w.Person("Olga", actor.Owner), w.Person("Bob", actor.Member)
	olga.Subscribe("hall")
	hall := []int64{w.streamID(olga, "hall")}
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
	streams := []int64{w.streamID(bob, "den"), w.streamID(bob, "hall"), w.streamID(bob, "vault")}
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
	ann.Do(http.MethodPost, "/invites/multiuse", params{"invite_as": 600, "stream_ids": []int64{w.streamID(ann, "porch")}}).OK().Decode(&made)
	w.open(path(made.Link)).says(200, `name="email"`)
	for _, name := range []string{"bob", "eve"} {
		w.submit(path(made.Link), "email", name+"@corp.example").says(200, "Look into your mail")
		join := path(w.Letter().Link)
		w.submit(join, "full_name", name, "password", secret).says(200, "Welcome")
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
	for _, link := range []string{"%00", "%ff", "x", strings.Repeat("A", 26)} {
		w.open("/invite/"+link).says(400, "This link isn&#39;t valid")
	}
}

// Without an invitation people can join if none is required.
func TestSignUp(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	sql := storetest.Connect(t, w.DatabaseURL)
	ann := w.Person("Ann", actor.Owner)
	ann.Subscribe("hall")
	ann.Do(http.MethodPost, "/default_streams", params{"stream_id": w.streamID(ann, "hall")}).OK()
	w.open("/register").says(400, "for invited people")
	w.submit("/register", "email", "bob@corp.example").says(400, "for invited people")
	sql.Exec(`update organizations set settings = settings || '{"invite_required": false}'`)
	w.open("/register").says(200, `name="email"`)
	w.submit("/register", "email", "nobody").says(400, "Enter a valid email address.")
	w.submit("/register", "email", "bob@corp.example").says(200, "Look into your mail")
	join := path(w.Letter().Link)
	sql.Exec(`update organizations set settings = settings || '{"invite_required": true}'`)
	w.submit(join, "full_name", "Bob", "password", secret).says(400, "for invited people")
	sql.Exec(`update organizations set settings = settings || '{"invite_required": false}'`)
	w.submit(join, "full_name", "Bob", "password", secret).says(200, "Welcome")
	if in := storetest.Values[string](sql, "select full_name from users join subscriptions using (org_id, user_id) where role = 400"); len(in) != 1 || in[0] != "Bob" {
		t.Errorf("subscribed: %v", in)
	}
	sql.Exec("update organizations set deactivated = true")
	w.open("/register").says(403, "This organization has been deactivated.")
	w.open("/reset/").says(200, "email")
	w.submit("/reset/", "email", "bob@corp.example").says(403, "This organization has been deactivated.")
}

// Where nobody signs in with a password, people without an invitation join by the identity provider alone, which decides who they are.
func TestSignUpWithoutPasswords(t *testing.T) {
	t.Parallel()
	w := pagesOf(t, servicetest.New(t, org.Method{Name: "idp_1"}))
	sql := storetest.Connect(t, w.DatabaseURL)
	sql.Exec(`update organizations set settings = settings || '{"invite_required": false}'`)
	w.submit("/register", "email", "eve@corp.example").says(200, "Look into your mail")
	join := path(w.Letter().Link)
	sql.Exec(`update organizations set settings = settings || '{"authentication_methods": {"Email": false, "idp_1": true}}'`)
	w.open("/register").says(400, "sign in with its identity provider")
	w.submit("/register", "email", "bob@corp.example").says(400, "sign in with its identity provider")
	w.open(join).says(400, "sign in with its identity provider")
	w.submit(join, "full_name", "Eve", "password", secret).says(400, "sign in with its identity provider")
	if letters := w.Letters(); len(letters) != 0 {
		t.Errorf("%+v", letters)
	}
}

// Where nobody signs in with a password, invited people choose none, and sign in by the identity provider.
func TestJoinWithoutPassword(t *testing.T) {
	t.Parallel()
	for _, client := range []bool{false, true} {
		w := pagesOf(t, servicetest.New(t, org.Method{Name: "idp_1"}), func(d *accountpages.Deps) { d.Client = client })
		ann := w.Person("Ann", actor.Owner)
		ann.Subscribe("hall")
		ann.Do(http.MethodPost, "/invites", params{"invitee_emails": "bob@corp.example", "stream_ids": []int64{w.streamID(ann, "hall")}}).OK()
		join := path(w.Letter().Link)
		w.open(join).says(200, `name="password"`)
		ann.Do(http.MethodPatch, "/realm", params{"authentication_methods": map[string]bool{"Email": false, "idp_1": true}}).OK()
		page := w.open(join)
		if page.says(200, "You need no password"); strings.Contains(page.body, `name="password"`) {
			t.Errorf("it asks for a password:\n%s", page.body)
		}
		w.submit(join, "full_name", "Bob", "password", secret).says(200, "Welcome")
		sql := storetest.Connect(t, w.DatabaseURL)
		servicetest.Same(t, "passwords", []int64{0}, storetest.Values[int64](sql, "select count(*) from passwords"))
		bob := account.Identity{Method: "idp_1", Issuer: "https://login.example", Subject: "bob", Email: "bob@corp.example"}
		if issued, err := w.Accounts.SignIn(t.Context(), w.Org.ID, bob, false, login.Attempt{}); err != nil || issued.Email != "bob@corp.example" {
			t.Errorf("%+v, %v", issued, err)
		}
	}
}

// Of two forms for the same link, one creates an account.
// An account that was created by an interrupted request is completed later.
func TestJoinIsInterrupted(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ann, sql := w.Person("Ann", actor.Owner), storetest.Connect(t, w.DatabaseURL)
	ann.Subscribe("hall", "team")
	sql.Exec(`update organizations set settings = settings || jsonb_build_object('signup_notifications_stream_id', $1::bigint)`, w.streamID(ann, "team"))
	ann.Do(http.MethodPost, "/invites", params{"invitee_emails": "bob@corp.example", "stream_ids": []int64{w.streamID(ann, "hall")}}).OK()
	join := path(w.Letter().Link)
	w.Interrupt(func() { w.submit(join, "full_name", "Bob", "password", secret).says(500, "") })
	if in := storetest.Values[string](sql, "select s.name from subscriptions join streams s using (org_id, stream_id) join users using (org_id, user_id) where full_name = 'Bob'"); !slices.Equal(in, []string{"hall"}) {
		t.Errorf("Bob is in %q", in)
	}
	said := storetest.Values[int64](sql, "select count(*) from messages where client = 'Internal' and (content like '%Bob%' or content like 'Welcome!%')")
	if said[0] != 3 { // to the stream, to Bob, and to Ann
		t.Errorf("%d notices", said[0])
	}
}

func TestJoinAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ann := w.Person("Ann", actor.Owner)
	ann.Subscribe("hall")
	ann.Do(http.MethodPost, "/invites", params{"invitee_emails": "bob@corp.example", "stream_ids": []int64{w.streamID(ann, "hall")}}).OK()
	join := path(w.Letter().Link)
	pages := make(chan shown)
	for range 4 {
		go func() { pages <- w.submit(join, "full_name", "Bob", "password", secret) }()
	}
	welcome := 0
	for range 4 {
		if page := <-pages; page.status == 200 {
			welcome++
		} else {
			page.says(400, "This link isn&#39;t valid")
		}
	}
	if welcome != 1 {
		t.Errorf("%d accounts", welcome)
	}
}

// Somebody who joins while the stream for sign-ups is changed is welcomed as others are.
func TestJoinWhileStreamChanges(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ann, sql := w.Person("Ann", actor.Owner), storetest.Connect(t, w.DatabaseURL)
	ann.Subscribe("hall", "team")
	hall, team := w.streamID(ann, "hall"), w.streamID(ann, "team")
	sql.Exec(`update organizations set settings = settings || jsonb_build_object('signup_notifications_stream_id', $1::bigint)`, team)
	ann.Do(http.MethodPost, "/invites", params{"invitee_emails": "bob@corp.example", "invite_as": 400, "stream_ids": []int64{hall}}).OK()
	join := path(w.Letter().Link)
	sql.Exec("begin")
	sql.Exec("select pg_advisory_xact_lock($1)", team)
	sql.Exec("update streams set description = 'x', version = version + 1 where stream_id = $1", team)
	joined := make(chan shown, 1)
	go func() { joined <- w.submit(join, "full_name", "Bob", "password", secret) }()
	waiting := `select count(*) from pg_locks where not granted and database = (select oid from pg_database where datname = current_database())`
	for deadline := time.Now().Add(20 * time.Second); storetest.Values[int64](sql, waiting)[0] == 0; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("nothing waits for the stream")
		}
	}
	sql.Exec("commit")
	(<-joined).says(200, "Welcome")
	said := storetest.Values[int64](sql, "select count(*) from messages where client = 'Internal' and content like '%Bob%'")
	if said[0] != 2 { // to the stream, and to Ann
		t.Errorf("%d notices", said[0])
	}
}
