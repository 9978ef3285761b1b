package signin_test

import (
	"net/http"
	"strings"
	"testing"

	"chatserver.dev/pkg/actor"
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
	if a := fetch("new@corp.example", secret); a.Status != 429 || !strings.Contains(a.Body, "too many attempts") || !strings.Contains(a.Body, `"retry-after":`) {
		t.Errorf("%d %s", a.Status, a.Body)
	}
}
