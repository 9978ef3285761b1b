package bots_test

import (
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/services/servicetest"
)

func TestDeactivate(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	w.WatchAccounts()
	admin, member, other := w.Person("Ann", actor.Administrator), w.Person("Mia", actor.Member), w.Person("Bob", actor.Member)
	bot := made(w, member, "echo", nil)
	watching := admin.Watch("realm_user", "realm_bot")
	remove := func(by servicetest.Account, of string) servicetest.Answer {
		return by.Do(http.MethodDelete, "/bots/"+of, nil)
	}
	remove(other, bot.ID.String()).Fails(400, "BAD_REQUEST", "Insufficient permission")
	remove(admin, other.ID.String()).Fails(400, "BAD_REQUEST", "No such bot")
	remove(admin, "987654321").Fails(400, "BAD_REQUEST", "No such bot")
	remove(abroad(w), bot.ID.String()).Fails(400, "BAD_REQUEST", "No such bot")
	remove(member, bot.ID.String()).OK()
	remove(member, bot.ID.String()).OK()
	n := bot.ID.String()
	want := []string{
		`{"type":"realm_user","op":"remove","person":{"user_id":` + n + `,"full_name":"Bot echo"}}`,
		`{"type":"realm_bot","op":"remove","bot":{"user_id":` + n + `,"full_name":"Bot echo"}}`,
	}
	if diff := cmp.Diff(want, watching.Events()); diff != "" {
		t.Error(diff)
	}
	shows(t, func() bool { return bot.Do(http.MethodGet, "/users/me", nil).Status == 401 })
	member.Do(http.MethodPost, "/users/"+n+"/reactivate", nil).OK()
	shows(t, func() bool { return bot.Do(http.MethodGet, "/users/me", nil).Status == 200 })
}
