package accountpages_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

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

// A person who is invited by mail joins with the invitation's streams and role, and all subscribers get the event.
func TestJoin(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ann := w.Person("Ann", actor.Owner)
	ann.Subscribe("hall", "porch", "team")
	hall, team := ann.StreamID("hall"), ann.StreamID("team")
	storetest.Connect(t, w.DatabaseURL).Exec(`update organizations set settings = settings || jsonb_build_object('signup_notifications_stream_id', $1::bigint)`, team)
	ann.Do(http.MethodPost, "/invites", params{"invitee_emails": "Bob <bob@corp.example>", "invite_as": 200, "stream_ids": []int64{hall}}).OK()
	letter := w.Letter()
	if letter.To != "bob@corp.example" || letter.Subject != "Ann invites you to Plant" || !strings.HasPrefix(letter.Link, "https://chat.example/join/") {
		t.Errorf("%+v", letter)
	}
	if !strings.HasPrefix(letter.Before[0], "Ann (ann@chat.example) invites you") {
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
	if greeting := w.Letter(); greeting.To != "bob@corp.example" || greeting.Subject != "Your account for Plant" || greeting.Link != "https://chat.example" ||
		!strings.HasPrefix(greeting.After[0], "Welcome!") {
		t.Errorf("%+v", greeting)
	}
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

	w.Letters() // about signing in
	ann.Do(http.MethodPatch, "/realm", params{"email_address_visibility": 4}).OK()
	ann.Do(http.MethodPost, "/invites", params{"invitee_emails": "cy@corp.example", "stream_ids": []int64{hall}}).OK()
	if letter := w.Letter(); !strings.HasPrefix(letter.Before[0], "Ann invites you") {
		t.Errorf("a hidden address: %+v", letter)
	}
}

// Nobody is greeted by mail whose organization doesn't want that, who has gone before the mail is sent, or who hasn't confirmed the address.
func TestNotGreeted(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ann := w.Person("Ann", actor.Owner)
	ann.Subscribe("hall")
	join := func(email string) {
		t.Helper()
		ann.Do(http.MethodPost, "/invites", params{"invitee_emails": email, "stream_ids": []int64{ann.StreamID("hall")}}).OK()
		w.submit(path(w.Letter().Link), "full_name", "New", "password", secret).says(200, "Welcome")
	}
	join("gone@corp.example")
	gone := storetest.Values[int64](storetest.Connect(t, w.DatabaseURL), "select user_id from users where email = 'gone@corp.example'")[0]
	ann.Do(http.MethodDelete, "/users/"+number(gone), nil).OK()
	ann.Do(http.MethodPatch, "/realm", params{"send_welcome_emails": false}).OK()
	join("bob@corp.example")
	ann.Do(http.MethodPatch, "/realm", params{"send_welcome_emails": true}).OK()
	ann.Do(http.MethodPost, "/users", params{"email": "eve@corp.example", "full_name": "Eve", "password": secret}).OK()
	if letters := w.Letters(); len(letters) > 0 {
		t.Errorf("%+v", letters)
	}
}

// If there is a web client, a person who chooses a password is signed in to it, with a new key each time.
func TestSignedInAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(d *accountpages.Deps) { d.Client = true })
	ann := w.Person("Ann", actor.Owner)
	ann.Subscribe("hall")
	ann.Do(http.MethodPost, "/invites", params{"invitee_emails": "bob@corp.example", "stream_ids": []int64{ann.StreamID("hall")}}).OK()
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
	w.Letter() // greets him
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
	ann.Do(http.MethodPost, "/invites", params{"invitee_emails": "bob@corp.example", "stream_ids": []int64{ann.StreamID("hall")}}).OK()
	join := path(w.Letter().Link)
	page := w.submit(join, "full_name", "Bob", "password", secret)
	page.says(200, "Sign in with your password in a few seconds.")
	page.says(200, `<a href="/" class="button primary">Go to Plant</a>`)
	if strings.Contains(page.body, "program") {
		t.Error(page.body)
	}
	w.signsIn("bob@corp.example", secret).OK()
}

// Without an invitation people can join if none is required.
func TestSignUp(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	sql := storetest.Connect(t, w.DatabaseURL)
	ann := w.Person("Ann", actor.Owner)
	ann.Subscribe("hall")
	ann.Do(http.MethodPost, "/default_streams", params{"stream_id": ann.StreamID("hall")}).OK()
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
		ann.Do(http.MethodPost, "/invites", params{"invitee_emails": "bob@corp.example", "stream_ids": []int64{ann.StreamID("hall")}}).OK()
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

// An account that was created by an interrupted request is completed later.
func TestJoinIsInterrupted(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ann, sql := w.Person("Ann", actor.Owner), storetest.Connect(t, w.DatabaseURL)
	ann.Subscribe("hall", "team")
	sql.Exec(`update organizations set settings = settings || jsonb_build_object('signup_notifications_stream_id', $1::bigint)`, ann.StreamID("team"))
	ann.Do(http.MethodPost, "/invites", params{"invitee_emails": "bob@corp.example", "stream_ids": []int64{ann.StreamID("hall")}}).OK()
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

// Of two forms for the same link, one creates an account.
func TestJoinAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ann := w.Person("Ann", actor.Owner)
	ann.Subscribe("hall")
	ann.Do(http.MethodPost, "/invites", params{"invitee_emails": "bob@corp.example", "stream_ids": []int64{ann.StreamID("hall")}}).OK()
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
	hall, team := ann.StreamID("hall"), ann.StreamID("team")
	sql.Exec(`update organizations set settings = settings || jsonb_build_object('signup_notifications_stream_id', $1::bigint)`, team)
	ann.Do(http.MethodPost, "/invites", params{"invitee_emails": "bob@corp.example", "invite_as": 400, "stream_ids": []int64{hall}}).OK()
	join := path(w.Letter().Link)
	sql.Exec("begin")
	sql.Exec("select pg_advisory_xact_lock($1)", team)
	sql.Exec("update streams set description = 'x', version = version + 1 where stream_id = $1", team)
	joined := make(chan shown, 1)
	go func() { joined <- w.submit(join, "full_name", "Bob", "password", secret) }()
	sql.AwaitBlocked(1)
	sql.Exec("commit")
	(<-joined).says(200, "Welcome")
	said := storetest.Values[int64](sql, "select count(*) from messages where client = 'Internal' and content like '%Bob%'")
	if said[0] != 2 { // to the stream, and to Ann
		t.Errorf("%d notices", said[0])
	}
}
