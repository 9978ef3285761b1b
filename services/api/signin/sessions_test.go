package signin_test

import (
	"encoding/json"
	"net/http"
	"testing"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/login"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/services/servicetest"
)

func TestSessions(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	ann, bob := w.Person("Ann", actor.Member), w.Person("Bob", actor.Member)
	for _, p := range []servicetest.Account{ann, bob} {
		p.Do(http.MethodPatch, "/settings", params{"new_password": secret}).OK()
	}
	start(t, w, bob)
	ann.Do(http.MethodPost, path, params{"username": ann.RealEmail, "password": secret, "client": "Term"}).OK()
	over, b := start(t, w, ann), start(t, w, ann)
	storetest.Connect(t, w.DatabaseURL).Exec("update logins set ends_at = now() where login_id = (select max(login_id) - 1 from logins)")
	list := struct {
		Sessions []login.Session `json:"sessions"`
	}{}
	status, body := b.do(http.MethodGet, "/sessions")
	if err := json.Unmarshal([]byte(body), &list); err != nil || status != 200 {
		t.Fatal(status, body, err)
	}
	if s := list.Sessions; len(s) != 2 || !s[0].Current || s[0].Ends == nil || s[1].Current || s[1].Ends != nil || s[1].Client != "Term" {
		t.Errorf("%s", body)
	}
	if status, body := over.do(http.MethodGet, "/sessions"); status != 401 {
		t.Errorf("a session whose time is over: %d %s", status, body)
	}
	ann.Do(http.MethodGet, "/sessions", nil).OK()
	w.Bot("Robot", actor.GenericBot, ann).Do(http.MethodGet, "/sessions", nil).Fails(400, "", "This endpoint does not accept bot requests.")
}
