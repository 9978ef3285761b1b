package signin_test

import (
	"net/http"
	"strings"
	"testing"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/services/servicetest"
)

type params = servicetest.Params

const (
	path   = "/fetch_api_key"
	secret = "correct horse battery"
)

func TestFetchKey(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	admin := w.Person("Ann", actor.Administrator)
	admin.Do(http.MethodPost, "/users", params{"email": "new@corp.example", "full_name": "New", "password": secret}).OK()
	nobody := admin
	nobody.RealEmail, nobody.Key = "", ""
	fetch := func(username, password string) servicetest.Answer {
		return nobody.Do(http.MethodPost, path, params{"username": username, "password": password})
	}
	reply := struct {
		APIKey string `json:"api_key"`
		Email  string `json:"email"`
	}{}
	fetch("NEW@corp.example", secret).OK().Decode(&reply)
	if reply.Email != "new@corp.example" || len(reply.APIKey) != 32 {
		t.Errorf("%+v", reply)
	}
	nobody.Do(http.MethodPost, path, params{"username": "new@corp.example"}).Fails(400, "REQUEST_VARIABLE_MISSING", "Missing 'password' argument")
	fetch("new", secret).Fails(400, "BAD_REQUEST", "Enter a valid email address.")
	if a := fetch("new@corp.example", "wrong").Fails(403, "", "Your username or password is incorrect."); !strings.Contains(a.Body, `"reason":"incorrect_creds"`) {
		t.Error(a.Body)
	}
	fetch("nobody@corp.example", secret).Fails(403, "", "Your username or password is incorrect.")
	fetch("new@corp.example", "\x00").Fails(403, "", "Your username or password is incorrect.")
	for range 3 {
		fetch("new@corp.example", strings.Repeat("x", 60000)).Fails(403, "", "Your username or password is incorrect.")
	}
	a := fetch("new@corp.example", secret)
	if a.Status != 429 || !strings.Contains(a.Body, "too many attempts") || !strings.Contains(a.Body, `"retry-after":`) {
		t.Errorf("%d %s", a.Status, a.Body)
	}
	if wait := a.Header.Get("Retry-After"); wait == "" || !strings.Contains(a.Body, `"retry-after":`+wait+`}`) {
		t.Errorf("Retry-After %q, %s", wait, a.Body)
	}
}

// Signing in fails if there is no organization, if it is deactivated or has no passwords, or if the account is
// deactivated.
func TestNobodySignsIn(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t, org.Method{Name: "idp_1"})
	sql := storetest.Connect(t, w.DatabaseURL)
	ann := w.Person("Ann", actor.Member)
	ann.Do(http.MethodPatch, "/settings", params{"new_password": secret}).OK()
	for _, path := range []string{path, "/sessions"} {
		try := func(in org.Org) servicetest.Answer {
			nobody := ann
			nobody.RealEmail, nobody.Key, nobody.Org = "", "", in
			return nobody.Do(http.MethodPost, path, params{"username": ann.RealEmail, "password": secret})
		}
		try(org.Org{Subdomain: "nowhere"}).Fails(400, "BAD_REQUEST", "Invalid subdomain")
		sql.Exec("update users set active = false where user_id = $1", ann.ID)
		try(w.Org).Fails(403, "", "Your account has been disabled.")
		sql.Exec("update users set active = true where user_id = $1", ann.ID)
		sql.Exec(`update organizations set settings = settings || '{"authentication_methods": {"Email": false, "idp_1": true}}'`)
		try(w.Org).Fails(403, "", "Password auth is disabled in your team.")
		sql.Exec(`update organizations set settings = settings || '{"authentication_methods": {"Email": true}}', deactivated = true`)
		try(w.Org).Fails(403, "", "This organization has been deactivated.")
		sql.Exec("update organizations set deactivated = false")
	}
}
