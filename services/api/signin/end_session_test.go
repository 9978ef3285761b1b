package signin_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/login"
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
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		if status, _ := ended.do(http.MethodGet, "/users/me"); status == 401 {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("the session wasn't ended")
		}
	}
	if status, body := stays.do(http.MethodGet, "/users/me"); status != 200 {
		t.Error(status, body)
	}
}
