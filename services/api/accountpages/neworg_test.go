package accountpages_test

import (
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"

	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/services/api/accountpages"
)

// If the server allows it, a person who confirms an address creates an organization and becomes its owner.
func TestNewOrg(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(d *accountpages.Deps) { d.Client = true })
	w.open("/new/").says(400, "ask its administrators to create one")
	w.submit("/new/", "email", "eve@corp.example").says(400, "ask its administrators to create one")
	w.NewOrgs.Open = true
	w.NewOrg("other")
	w.open("https://other.chat.example/new/").says(400, "Invalid subdomain")
	w.open("/new/").says(200, `name="email"`)
	w.submit("/new/", "email", "eve").says(400, "Enter a valid email address.")
	w.submit("/new/", "email", "eve@corp.example").says(200, "Look into your mail")
	letter := w.Letter()
	if letter.To != "eve@corp.example" || !strings.HasPrefix(letter.Link, "https://chat.example/new/") {
		t.Fatalf("%+v", letter)
	}
	link := path(letter.Link)
	w.open(link).says(200, `value="eve@corp.example"`)
	newOrg := func(name, subdomain, fullName, password string) shown {
		return w.submit(link, "organization", name, "subdomain", subdomain, "full_name", fullName, "password", password)
	}
	newOrg("", "mill", "Eve", secret).says(400, "name must have 1 to 40 characters")
	newOrg("Mill", "m", "Eve", secret).says(400, "length 3 or greater")
	newOrg("Mill", "Mill!", "Eve", secret).says(400, "lowercase letters")
	newOrg("Mill", "-mill", "Eve", secret).says(400, "cannot start or end")
	newOrg("Mill", strings.Repeat("m", 64), "Eve", secret).says(400, "Subdomain unavailable")
	newOrg("Mill", "other", "Eve", secret).says(400, "Subdomain unavailable")
	newOrg("Mill", "login", "Eve", secret).says(400, "Subdomain unavailable")
	newOrg("Mill", "xn--mll-eoa", "Eve", secret).says(400, "Subdomain unavailable")
	newOrg("Mill", "mill", "E", secret).says(400, "Name too short!")
	newOrg("Mill", "mill", "Eve", "mill").says(400, "The password is too weak.")
	made := newOrg("Mill", "mill", "Eve", secret)
	made.says(200, "https://mill.chat.example")
	newOrg("Mill", "mill2", "Eve", secret).says(400, "This link isn&#39;t valid")
	w.submit("https://other.chat.example"+link).says(400, "Invalid subdomain")

	nobody := w.Nobody()
	nobody.Org = org.Org{Subdomain: "mill"}
	issued := struct {
		Key string `json:"api_key"`
	}{}
	nobody.Do(http.MethodPost, "/fetch_api_key", params{"username": "eve@corp.example", "password": secret}).OK().Decode(&issued)
	eve := nobody
	eve.RealEmail, eve.Key = "eve@corp.example", issued.Key
	state := struct {
		IsOwner       bool  `json:"is_owner"`
		SignupsID     int64 `json:"realm_signup_notifications_stream_id"`
		Subscriptions []struct {
			Name    string
			Private bool  `json:"invite_only"`
			ID      int64 `json:"stream_id"`
		} `json:"subscriptions"`
	}{}
	eve.Do(http.MethodPost, "/register", nil).OK().Decode(&state)
	s := state.Subscriptions
	if !state.IsOwner || len(s) != 2 || s[0].Name != "core team" || !s[0].Private || s[0].ID != state.SignupsID || s[1].Name != "general" || s[1].Private {
		t.Errorf("%+v", state)
	}
	sql := storetest.Connect(t, w.DatabaseURL)
	enter := regexp.MustCompile(`https://mill\.chat\.example/enter/\w+`).FindString(made.body)
	w.open(strings.Replace(enter, "mill.", "other.", 1)).says(400, "This link isn&#39;t valid")
	w.open(enter).says(200, `value="eve@corp.example"`)
	w.open(enter).says(200, "Sign in") // opening it signs nobody in
	if entered := w.submit(enter); entered.status != http.StatusSeeOther || !strings.Contains(entered.header.Get("Set-Cookie"), "session=") {
		t.Errorf("status %d, %v", entered.status, entered.header)
	}
	w.submit(enter).says(400, "Sign in with your address")
	if left := storetest.Values[int](sql, "select count(*)::int from mail_links"); left[0] != 0 {
		t.Errorf("%d links are left", left[0])
	}
}

// Whoever has founded an organization learns its address, even if the owner couldn't join its streams, which happens later.
func TestNewOrgWithoutStreams(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.NewOrgs.Open = true
	w.submit("/new/", "email", "eve@corp.example").says(200, "Look into your mail")
	link := path(w.Letter().Link)
	w.Interrupt(func() {
		w.submit(link, "organization", "Mill", "subdomain", "mill", "full_name", "Eve", "password", secret).says(200, "https://mill.chat.example")
	})
	sql := storetest.Connect(t, w.DatabaseURL)
	in := storetest.Values[int](sql, "select count(*)::int from subscriptions join users using (org_id, user_id) where full_name = 'Eve'")[0]
	if said := storetest.Values[int](sql, "select count(*)::int from messages")[0]; in != 2 || said != 0 {
		t.Errorf("Eve is in %d streams, with %d messages", in, said)
	}
}

// A new organization has the language of its founder's browser, and so have its accounts, with the clock that is usual there.
func TestNewOrgInLanguage(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.NewOrgs.Open = true
	sql := storetest.Connect(t, w.DatabaseURL)
	for name, of := range map[string]struct{ languages, want string }{
		"muehle": {"de-AT,en;q=0.5", "de true de true"}, "moulin": {"fr", ""}, // defaults aren't stored
	} {
		w.submit("/new/", "email", "eve@corp.example").says(200, "Look into your mail")
		w.opened(http.MethodPost, path(w.Letter().Link), of.languages, "organization", "Mill", "subdomain", name, "full_name", "Eve", "password", secret).says(200, name+".chat.example")
		got := storetest.Values[string](sql, `select concat_ws(' ', o.settings->>'default_language', o.settings->>'default_twenty_four_hour_time', u.settings->>'default_language',
			u.settings->>'twenty_four_hour_time') from organizations o join users u using (org_id) where o.subdomain = $1 and u.full_name = 'Eve'`, name)
		if len(got) != 1 || got[0] != of.want {
			t.Errorf("%s: %q, want %q", name, got, of.want)
		}
	}
}

// Of two people who found an organization with the same subdomain at the same time, one is refused, and can use the link again.
func TestNewOrgsOfOneSubdomain(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.NewOrgs.Open = true
	links, answers := [2]string{}, [2]shown{}
	for i, email := range []string{"eve@corp.example", "dan@corp.example"} {
		w.submit("/new/", "email", email).says(200, "Look into your mail")
		links[i] = path(w.Letter().Link)
	}
	newOrg := func(link, subdomain string) shown {
		return w.submit(link, "organization", "Mill", "subdomain", subdomain, "full_name", "Eve", "password", secret)
	}
	both := sync.WaitGroup{}
	for i, link := range links {
		both.Go(func() { answers[i] = newOrg(link, "mill") })
	}
	both.Wait()
	if answers[0].status != http.StatusOK {
		answers[0], answers[1], links[0], links[1] = answers[1], answers[0], links[1], links[0]
	}
	answers[0].says(200, "https://mill.chat.example")
	answers[1].says(400, "Subdomain unavailable")
	w.open(links[0]).says(400, "This link isn&#39;t valid")
	newOrg(links[1], "mill2").says(200, "https://mill2.chat.example")
	w.open(links[1]).says(400, "This link isn&#39;t valid")
}
