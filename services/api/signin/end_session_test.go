package signin_test

import (
	"fmt"
	"net/http"
	"testing"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/login"
	"chatserver.dev/pkg/testbed"
	"chatserver.dev/services/servicetest"
)

func TestEndSession(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	w.WatchAccounts()
	ann, bob := w.Person("Ann", actor.Member), w.Person("Bob", actor.Member)
	ann.Do(http.MethodPatch, "/settings", params{"new_password": secret}).OK()
	ended, stays := start(t, w, ann), start(t, w, ann)
	list := struct {
		Sessions []login.Session `json:"sessions"`
	}{}
	ann.Do(http.MethodGet, "/sessions", nil).OK().Decode(&list)
	at := fmt.Sprintf("/sessions/%d", list.Sessions[1].ID)
	bob.Do(http.MethodDelete, at, nil).Fails(400, "BAD_REQUEST", "Invalid session id")
	if status, body := ended.do(http.MethodDelete, at); status != 200 {
		t.Fatal(status, body)
	}
	ann.Do(http.MethodDelete, at, nil).Fails(400, "BAD_REQUEST", "Invalid session id")
	testbed.Until(t, "the session has ended", func() bool {
		status, _ := ended.do(http.MethodGet, "/users/me")
		return status == 401
	})
	if status, body := stays.do(http.MethodGet, "/users/me"); status != 200 {
		t.Error(status, body)
	}
}
