package openid_test

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/provider"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/pkg/user"
	"chatserver.dev/services/servicetest"
)

func TestSignUpAndIn(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.browser()
	to := b.leave(signUp)
	asked, _ := url.Parse(to)
	q := asked.Query()
	if !strings.HasPrefix(to, w.idp.server.URL+"/authorize?") || q.Get("client_id") != "chat" || q.Get("response_type") != "code" ||
		q.Get("redirect_uri") != "https://"+servicetest.Host+"/accounts/complete/idp_1" || q.Get("scope") != "openid email profile" ||
		len(q.Get("state")) < 20 || len(q.Get("nonce")) < 20 || len(q.Get("code_challenge")) != 43 || q.Get("code_challenge_method") != "S256" {
		t.Errorf("asked %s", to)
	}
	if answer := b.back(w.idp.allow(to, ann(nil))); answer.Code != 200 || b.in() != "ann@corp.example" {
		t.Fatalf("%d %s, signed in as %q", answer.Code, answer.Body, b.in())
	}
	if left := b.cookies["acme."+servicetest.Host]; len(left) != 1 {
		t.Errorf("cookies %v", left)
	}
	if greeting := w.Letters(); len(greeting) != 1 || greeting[0].To != "ann@corp.example" || greeting[0].Link != "https://acme."+servicetest.Host {
		t.Errorf("greeted by %+v", greeting)
	}
	account := func() (email string, role actor.Role, name string) {
		t.Helper()
		row := storetest.Values[string](w.sql, `select concat_ws('|', email, full_name) from users where org_id = $1 and bot_type is null`, w.acme.ID)
		if len(row) != 1 {
			t.Fatalf("accounts %q", row)
		}
		email, name, _ = strings.Cut(row[0], "|")
		return email, actor.Role(storetest.Values[int64](w.sql, `select role::bigint from users where org_id = $1 and bot_type is null`, w.acme.ID)[0]), name
	}
	if email, role, name := account(); email != "ann@corp.example" || role != actor.Member || name != "Ann Smith" {
		t.Errorf("%s %d %s", email, role, name)
	}
	// From now on, her identity at the provider signs her in, whatever her address there is.
	for _, c := range []struct {
		groups any
		want   actor.Role
	}{{[]string{"outside"}, actor.Guest}, {[]string{"outside", "bosses"}, actor.Administrator}, {nil, actor.Administrator}, {"others", actor.Member}} {
		b := w.browser()
		claims := map[string]any{"email": "new@elsewhere.example", "email_verified": false, "groups": c.groups}
		if answer := b.visit(signIn, ann(claims)); answer.Code != 200 || b.in() != "ann@corp.example" {
			t.Errorf("%d %s", answer.Code, answer.Body)
		}
		if _, role, _ := account(); role != c.want {
			t.Errorf("groups %v: role %d, want %d", c.groups, role, c.want)
		}
	}
}

// Claims that are missing in the ID token are requested.
func TestUserInfo(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.browser()
	said := map[string]any{"email": "Ann@corp.example", "email_verified": "true", "name": "A", "groups": []string{"bosses"}}
	if answer := b.visit(signUp, grant{info: said}); answer.Code != 200 || b.in() != "Ann@corp.example" {
		t.Fatalf("%d %s", answer.Code, answer.Body)
	}
	// The name is too short.
	if got := storetest.Values[string](w.sql, `select full_name || ' ' || role from users where email = 'Ann@corp.example'`); len(got) != 1 || got[0] != "Ann 200" {
		t.Errorf("%q", got)
	}
	b = w.browser()
	b.fails(b.visit(signIn, grant{info: map[string]any{"sub": "eve", "email": "ann@corp.example", "email_verified": true}}), 403, "didn&#39;t confirm")
}

// An existing account is linked to the first identity with its address at the provider, and to no other identity
// there.
func TestLink(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	member := w.Account(w.acme, user.Draft{FullName: "Ann", RealEmail: "ANN@corp.example", Role: actor.Member})
	b := w.browser()
	b.fails(b.visit(signIn, ann(map[string]any{"email_verified": false})), 403, "hasn&#39;t verified")
	b.fails(b.visit(signIn, ann(map[string]any{"email_verified": nil})), 403, "hasn&#39;t verified")
	b.fails(b.visit(signIn, ann(map[string]any{"email_verified": "no"})), 403, "hasn&#39;t verified")
	b.fails(b.visit(signIn, ann(map[string]any{"email": "Ann <ann@corp.example>"})), 403, "hasn&#39;t verified")
	if answer := b.visit(signIn, ann(nil)); answer.Code != 200 || b.in() != "ANN@corp.example" {
		t.Fatalf("%d %s", answer.Code, answer.Body)
	}
	// The lower case of these addresses is Kim's.
	w.Account(w.acme, user.Draft{FullName: "Kim", RealEmail: "kim@git.example", Role: actor.Owner})
	eve := w.browser()
	for _, similar := range []string{"kim@g\u0130t.example", "\u212aim@git.example"} {
		eve.fails(eve.visit(signIn, ann(map[string]any{"sub": "eve", "email": similar})), 403, "hasn&#39;t verified")
	}
	eve.fails(eve.visit(signIn, ann(map[string]any{"sub": "eve"})), 403, "belongs to somebody else")
	eve.fails(eve.visit(signUp, ann(map[string]any{"sub": "eve"})), 403, "belongs to somebody else")
	w.Account(w.acme, user.Draft{FullName: "Robot", RealEmail: "robot@chat.example", Role: actor.Member, Bot: actor.GenericBot, Owner: member.ID})
	eve.fails(eve.visit(signIn, ann(map[string]any{"sub": "eve", "email": "robot@chat.example"})), 403, "belongs to somebody else")

	w.sql.Exec(`update users set active = false where user_id = $1`, member.ID)
	again := w.browser()
	again.fails(again.visit(signIn, ann(nil)), 403, "Your account has been disabled.")
	again.fails(again.visit(signUp, ann(nil)), 403, "Your account has been disabled.")
}

// After unlinking, an identity can't sign in to the account anymore, unless it has the account's address.
func TestUnlinked(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	member := w.Account(w.acme, user.Draft{FullName: "Ann", RealEmail: "ann@corp.example", Role: actor.Member})
	b := w.browser()
	for range 2 { // the second links them again
		if answer := b.visit(signIn, ann(nil)); answer.Code != 200 || b.in() != "ann@corp.example" {
			t.Fatalf("%d %s", answer.Code, answer.Body)
		}
		member.Do(http.MethodDelete, "/identities", map[string]any{"issuer": w.idp.server.URL}).OK()
	}
	other := w.browser()
	other.fails(other.visit(signIn, ann(map[string]any{"email": "new@corp.example"})), 403, "There is no account with your email address")
	if b.in() != "ann@corp.example" {
		t.Error("the session has ended")
	}
}

// TrustEmails applies to providers that don't report whether addresses are verified, not to unverified addresses.
func TestTrustEmails(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(p *provider.Provider) { p.TrustEmails = true })
	b := w.browser()
	b.fails(b.visit(signUp, ann(map[string]any{"email_verified": false})), 403, "hasn&#39;t verified")
	if answer := b.visit(signUp, ann(map[string]any{"email_verified": nil})); answer.Code != 200 || b.in() != "ann@corp.example" {
		t.Errorf("%d %s", answer.Code, answer.Body)
	}
}

func TestOnlyOwner(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	owner := w.Account(w.acme, user.Draft{FullName: "Ann", RealEmail: "ann@corp.example", Role: actor.Owner})
	role := func() int64 {
		return storetest.Values[int64](w.sql, `select role::bigint from users where user_id = $1`, owner.ID)[0]
	}
	if b := w.browser(); b.visit(signIn, ann(nil)).Code != 200 || b.in() == "" || role() != 100 {
		t.Errorf("the only owner has the role %d", role())
	}
	w.Account(w.acme, user.Draft{FullName: "Bob", RealEmail: "bob@corp.example", Role: actor.Owner})
	if b := w.browser(); b.visit(signIn, ann(nil)).Code != 200 || role() != 400 {
		t.Errorf("one of two owners has the role %d", role())
	}
}

// People join only if the organization allows it.
func TestNoSignUp(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.browser()
	answer := b.visit(signIn, ann(nil))
	b.fails(answer, 403, "There is no account with your email address")
	if !strings.Contains(answer.Body.String(), `<a href="/accounts/register/social/idp_1"`) {
		t.Errorf("no way to an account: %s", answer.Body)
	}
	choose := func(settings string) {
		t.Helper()
		w.sql.Exec(`update organizations set settings = $2::jsonb where org_id = $1`, w.acme.ID, settings)
	}
	choose(`{}`)
	b.fails(b.visit(signUp, ann(nil)), 403, "You need an invitation")
	if answer := b.visit(signIn, ann(nil)); strings.Contains(answer.Body.String(), "register") {
		t.Errorf("a way to nowhere: %s", answer.Body)
	}
	choose(`{"invite_required": false, "emails_restricted_to_domains": true}`)
	b.fails(b.visit(signUp, ann(nil)), 403, "doesn&#39;t take addresses of your domain")
	choose(`{"invite_required": false, "authentication_methods": {"Email": true}}`)
	b.fails(b.get(signUp), 403, "doesn&#39;t let people sign in this way")
	choose(`{"invite_required": false, "authentication_methods": {"Email": false, "idp_1": true}}`)
	to := b.leave(signUp)
	choose(`{"invite_required": false, "authentication_methods": {"Email": true, "idp_1": false}}`)
	b.fails(b.back(w.idp.allow(to, ann(nil))), 403, "doesn&#39;t let people sign in this way")
	choose(`{"invite_required": false}`)
	to = b.leave(signUp)
	w.sql.Exec(`update organizations set deactivated = true where org_id = $1`, w.acme.ID)
	b.fails(b.back(w.idp.allow(to, ann(nil))), 403, "This organization has been deactivated.")
	b.fails(b.get(signIn), 403, "This organization has been deactivated.")
	if n := storetest.Values[int64](w.sql, `select count(*) from users where bot_type is null`)[0]; n != 0 {
		t.Errorf("%d accounts", n)
	}
}

// Organizations without access to a provider can't use it.
func TestOtherOrganization(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(p *provider.Provider) { p.Organizations = []string{"acme"} })
	b := w.browser()
	b.fails(b.get("https://"+servicetest.Host+"/accounts/login/social/idp_1"), 403, "doesn&#39;t let people sign in this way")
	b.fails(b.get("https://nobody."+servicetest.Host+"/accounts/login/social/idp_1"), 400, "Invalid subdomain")
	b.fails(b.get(atAcme+"/accounts/login/social/idp_2"), 404, "no such way")
	b.fails(b.get(atAcme+"/accounts/complete/idp_2"), 404, "no such way")
	w.sql.Exec(`update organizations set settings = '{"authentication_methods": {"Email": true, "idp_1": true}}' where subdomain = ''`)
	b.fails(b.get("https://"+servicetest.Host+"/accounts/login/social/idp_1"), 403, "doesn&#39;t let people sign in this way")
}

func TestNext(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for next, want := range map[string]string{
		"/somewhere?x=1&y=2": `content="0;url=/somewhere?x=1&amp;y=2"`, "//evil.example": "", "/\\evil.example": "", "https://evil.example": "", "javascript:alert(1)": "",
		"/\t/evil.example": "", "/\"><script>": `url=/&#34;&gt;&lt;script&gt;"`, "/" + strings.Repeat("x", 1000): "",
	} {
		b := w.browser()
		answer := b.visit(signUp+"?next="+url.QueryEscape(next), ann(nil))
		text := answer.Body.String()
		if answer.Code != 200 || b.in() == "" || want != "" && !strings.Contains(text, want) || want == "" && strings.Contains(text, "http-equiv=\"refresh\"") || strings.Contains(text, "<script>") {
			t.Errorf("%q: %d %s", next, answer.Code, text)
		}
	}
}

// While a provider is down, processes can start, and it is tried again after a while.
func TestDown(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Account(w.acme, user.Draft{FullName: "Ann", RealEmail: "ann@corp.example", Role: actor.Member})
	w.idp.set(func() { w.idp.broken = true })
	b := w.browser()
	b.fails(b.get(signIn), 502, "doesn&#39;t respond")
	w.idp.set(func() { w.idp.broken = false })
	for range 3 {
		b.fails(b.get(signIn), 502, "doesn&#39;t respond")
	}
	if n := w.idp.count("/.well-known/openid-configuration"); n != 1 {
		t.Errorf("it was asked %d times at once", n)
	}
	w.later.Store(int64(time.Minute))
	w.idp.set(func() { w.idp.issuer = "https://elsewhere.example" })
	b.fails(b.get(signIn), 502, "doesn&#39;t respond") // it claims to be another one
	w.later.Store(int64(2 * time.Minute))
	w.idp.set(func() { w.idp.issuer = w.idp.server.URL })
	back := w.idp.allow(b.leave(signIn), ann(nil))
	w.idp.set(func() { w.idp.broken = true })
	b.fails(b.back(back), 502, "doesn&#39;t respond")
	w.idp.set(func() { w.idp.broken = false })
	if answer := b.visit(signIn, ann(nil)); answer.Code != 200 || b.in() == "" {
		t.Errorf("%d %s", answer.Code, answer.Body)
	}
	// Its configuration is still used if it is down a day later.
	w.later.Store(int64(25 * time.Hour))
	w.idp.set(func() { w.idp.broken = true })
	b.leave(signIn)
}

// If only its keys can't be read, the provider is down as well, and nobody's tries count.
func TestKeysDown(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Account(w.acme, user.Draft{FullName: "Ann", RealEmail: "ann@corp.example", Role: actor.Member})
	w.idp.set(func() { w.idp.brokenAt = "/jwks" })
	b := w.browser()
	for range 101 {
		b.fails(b.visit(signIn, ann(nil)), 502, "doesn&#39;t respond")
	}
	w.idp.set(func() { w.idp.brokenAt = "" })
	if answer := b.visit(signIn, ann(nil)); answer.Code != 200 || b.in() == "" {
		t.Errorf("%d %s", answer.Code, answer.Body)
	}
}

// An invited person may join by signing up, with the invitation's streams. Groups still determine the role.
// An account that was created by an interrupted sign-up is completed later.
func TestSignUpIsInterrupted(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	owner := w.Account(w.acme, user.Draft{FullName: "Olga", RealEmail: "olga@corp.example", Role: actor.Owner})
	owner.Subscribe("den")
	w.sql.Exec("update streams set is_default = true")
	w.Interrupt(func() {
		if answer := w.browser().visit(signUp, ann(nil)); answer.Code != 500 {
			t.Errorf("%d %s", answer.Code, answer.Body)
		}
	})
	in := storetest.Values[string](w.sql, "select s.name from subscriptions join streams s using (org_id, stream_id) join users using (org_id, user_id) where email = 'ann@corp.example'")
	said := storetest.Values[int](w.sql, "select count(*)::int from messages where content like 'Welcome!%'")
	if !slices.Equal(in, []string{"den"}) || said[0] != 1 {
		t.Errorf("she is in %q, and %v messages welcome her", in, said)
	}
}

func TestInvited(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	owner := w.Account(w.acme, user.Draft{FullName: "Olga", RealEmail: "olga@corp.example", Role: actor.Owner})
	owner.Do(http.MethodPost, "/users/me/subscriptions", servicetest.Params{"subscriptions": []servicetest.Params{{"name": "den"}}, "invite_only": true}).OK()
	invite := func(email string, role, hours int) {
		t.Helper()
		w.sql.Exec(`insert into invitations (org_id, inviter_id, email, role, streams, invited_at)
			select $1, $2, $3, $4, array_agg(stream_id), now() - make_interval(hours => $5) from streams where org_id = $1 and name = 'den'`,
			w.acme.ID, owner.ID, email, role, hours)
	}
	w.sql.Exec(`update organizations set settings = '{}' where org_id = $1`, w.acme.ID)
	watch := owner.Watch("invites_changed")

	invite("ANN@corp.example", int(actor.Administrator), 1)
	invite("ann@corp.example", int(actor.Guest), 2)
	invite("bob@corp.example", int(actor.Administrator), 1)
	invite("eve@corp.example", int(actor.Member), 10*24+1)
	b := w.browser()
	answer := b.visit(signIn, ann(nil))
	b.fails(answer, 403, "no account with your email address in this organization yet")
	if !strings.Contains(answer.Body.String(), `<a href="/accounts/register/social/idp_1"`) {
		t.Errorf("no way to an account: %s", answer.Body)
	}
	b.fails(b.visit(signUp, ann(map[string]any{"email_verified": false})), 403, "hasn&#39;t verified")
	if answer := b.visit(signUp, ann(map[string]any{"groups": nil})); answer.Code != 200 || b.in() != "ann@corp.example" {
		t.Fatalf("%d %s", answer.Code, answer.Body)
	}
	b = w.browser()
	if answer := b.visit(signUp, ann(map[string]any{"sub": "bob", "email": "bob@corp.example", "name": "Bob", "groups": []string{"outside"}})); answer.Code != 200 {
		t.Fatalf("%d %s", answer.Code, answer.Body)
	}
	late := w.browser()
	late.fails(late.visit(signUp, ann(map[string]any{"sub": "eve", "email": "eve@corp.example"})), 403, "You need an invitation")
	got := storetest.Values[string](w.sql, `select full_name || ' ' || role || ' ' || string_agg(s.name, ',')
		from users u join subscriptions b using (org_id, user_id) join streams s using (org_id, stream_id) where u.org_id = $1 and user_id <> $2 group by user_id, full_name, role order by 1`,
		w.acme.ID, owner.ID)
	if diff := cmp.Diff([]string{"Ann Smith 200 den", "Bob 600 den"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	left := storetest.Values[string](w.sql, `select email from invitations where org_id = $1 and invited_at <> 'epoch'`, w.acme.ID)
	if events := watch.Events(); len(left) != 1 || left[0] != "eve@corp.example" || len(events) != 2 {
		t.Errorf("invitations %q, events %q", left, events)
	}
	accepted := storetest.Values[int](w.sql, `select count(*)::int from messages where org_id = $1 and content like '%accepted your invitation%'`, w.acme.ID)
	if accepted[0] != 2 {
		t.Errorf("the inviter was notified of %d", accepted[0])
	}
}
