package signin_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

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

// The browser forgets the key of the session that it ends, and keeps its own when it ends another one.
func TestForgottenKey(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	ann := w.Person("Ann", actor.Member)
	ann.Do(http.MethodPatch, "/settings", params{"new_password": secret}).OK()
	start(t, w, ann)
	b := start(t, w, ann)
	list := struct {
		Sessions []login.Session `json:"sessions"`
	}{}
	ann.Do(http.MethodGet, "/sessions", nil).OK().Decode(&list)
	end := func(session login.Session) *http.Cookie {
		t.Helper()
		answer := b.call(http.MethodDelete, fmt.Sprintf("/sessions/%d", session.ID))
		if answer.Code != http.StatusOK {
			t.Fatal(answer.Code, answer.Body)
		}
		cookie, _ := http.ParseSetCookie(answer.Header().Get("Set-Cookie"))
		return cookie
	}
	if cookie := end(list.Sessions[1]); cookie != nil {
		t.Errorf("another session was ended: %v", cookie)
	}
	got := end(list.Sessions[0])
	if got == nil || got.Name != b.cookie.Name || got.Path != b.cookie.Path || got.Secure != b.cookie.Secure || got.Value != "" || !got.Expires.Before(time.Now()) {
		t.Errorf("the cookie stays: %v", got)
	}
	key := ann
	ann.Do(http.MethodPost, path, params{"username": ann.RealEmail, "password": secret}).OK().Decode(&struct {
		APIKey *string `json:"api_key"`
	}{&key.Key})
	key.Do(http.MethodGet, "/sessions", nil).OK().Decode(&list)
	if answer := key.Do(http.MethodDelete, fmt.Sprintf("/sessions/%d", list.Sessions[0].ID), nil).OK(); answer.Header.Get("Set-Cookie") != "" {
		t.Error("a program gets a cookie")
	}
}
