package users_test

import (
	"net/http"
	"testing"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/services/servicetest"
)

// A new key invalidates the previous one and all logins.
func TestRenewKey(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	w.WatchAccounts()
	admin := w.Person("Ann", actor.Administrator)
	admin.Do(http.MethodPatch, "/settings", params{"new_password": secret}).OK()
	one, two := signIn(admin, admin.RealEmail), signIn(admin, admin.RealEmail)
	reply := struct {
		APIKey string `json:"api_key"`
	}{}
	one.Do(http.MethodPost, "/users/me/api_key/regenerate", nil).OK().Decode(&reply)
	for _, ended := range []servicetest.Account{admin, one, two} {
		shows(t, func() bool { return ended.Do(http.MethodGet, "/users/me", nil).Status == 401 })
	}
	admin.Key = reply.APIKey
	admin.Do(http.MethodGet, "/users/me", nil).OK()
}
