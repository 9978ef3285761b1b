package bots_test

import (
	"net/http"
	"testing"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/testbed"
	"chatserver.dev/services/servicetest"
)

// shows waits until a change of an account is noticed, which takes up to 3 seconds.
func shows(t *testing.T, holds func() bool) {
	t.Helper()
	testbed.Until(t, "the change shows", holds)
}

func TestRenewKey(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	w.WatchAccounts()
	owner, admin, member, other := w.Person("Olga", actor.Owner), w.Person("Ann", actor.Administrator), w.Person("Mia", actor.Member), w.Person("Bob", actor.Member)
	bot := made(w, member, "echo", nil)
	renew := func(by servicetest.Account, of string) servicetest.Answer {
		return by.Do(http.MethodPost, "/bots/"+of+"/api_key/regenerate", nil)
	}
	n := bot.ID.String()
	renew(other, n).Fails(400, "BAD_REQUEST", "Insufficient permission")
	renew(admin, member.ID.String()).Fails(400, "BAD_REQUEST", "No such bot")
	renew(abroad(w), n).Fails(400, "BAD_REQUEST", "No such bot")
	for _, by := range []servicetest.Account{member, admin} {
		reply := struct {
			APIKey string `json:"api_key"`
		}{}
		renew(by, n).OK().Decode(&reply)
		before := bot
		bot.Key = reply.APIKey
		bot.Do(http.MethodGet, "/users/me", nil).OK()
		shows(t, func() bool { return before.Do(http.MethodGet, "/users/me", nil).Status == 401 })
	}
	// A bot can't be used to become an owner.
	owner.Do(http.MethodPatch, "/users/"+n, params{"role": 100}).OK()
	renew(admin, n).Fails(400, "UNAUTHORIZED_PRINCIPAL", "Must be an organization owner")
	renew(owner, n).OK()
	renew(member, n).OK()
}
