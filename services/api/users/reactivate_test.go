package users_test

import (
	"net/http"
	"testing"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/services/servicetest"
)

// A reactivated account may act again. Its bots stay deactivated, and its logins stay ended.
func TestReactivate(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	w.WatchAccounts()
	admin, member := w.Person("Ann", actor.Administrator), w.Person("Mia", actor.Member)
	robot := w.Bot("Robot", actor.GenericBot, member)
	reactivate := func(by, of servicetest.Account) servicetest.Answer {
		return by.Do(http.MethodPost, at(of)+"/reactivate", nil)
	}
	member.Do(http.MethodPatch, "/settings", params{"new_password": secret}).OK()
	signedIn := signIn(admin, member.RealEmail)
	admin.Do(http.MethodDelete, at(member), nil).OK()
	shows(t, func() bool { return member.Do(http.MethodGet, "/users/me", nil).Status == 401 })
	watching := admin.Watch("realm_user")
	reactivate(admin, member).OK()
	reactivate(admin, member).OK()
	if events := watching.Events(); len(events) != 1 {
		t.Errorf("events %v", events)
	}
	shows(t, func() bool { return member.Do(http.MethodGet, "/users/me", nil).Status == 200 })
	robot.Do(http.MethodGet, "/users/me", nil).Fails(401, "UNAUTHORIZED", "Account is deactivated")
	signedIn.Do(http.MethodGet, "/users/me", nil).Fails(401, "UNAUTHORIZED", "Invalid API key")

	reactivate(member, admin).Fails(400, "BAD_REQUEST", "Insufficient permission")
	admin.Do(http.MethodPost, "/users/987654321/reactivate", nil).Fails(400, "BAD_REQUEST", "No such user")
	session := storetest.Connect(t, w.DatabaseURL)
	for policy, allowed := range map[string]bool{"1": true, "2": false, "3": false} {
		session.Exec(`update organizations set settings = jsonb_set(settings, '{bot_creation_policy}', $1::text::jsonb)`, policy)
		if a := reactivate(member, robot); allowed {
			a.OK()
		} else {
			a.Fails(400, "UNAUTHORIZED_PRINCIPAL", "Must be an organization administrator")
		}
	}
	reactivate(admin, robot).OK()
}

// Nobody reactivates an account with a higher role than their own.
func TestReactivateHigher(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	owner, second, admin, mia := w.Person("Olga", actor.Owner), w.Person("Odo", actor.Owner), w.Person("Ann", actor.Administrator), w.Person("Mia", actor.Member)
	third, robot, mighty := w.Person("Ada", actor.Administrator), w.Bot("Robot", actor.GenericBot, mia), w.Bot("Mighty", actor.GenericBot, mia)
	owner.Do(http.MethodPatch, at(robot), params{"role": 200}).OK()
	owner.Do(http.MethodPatch, at(mighty), params{"role": 100}).OK()
	for _, gone := range []servicetest.Account{second, third} {
		owner.Do(http.MethodDelete, at(gone), nil).OK()
	}
	for _, bot := range []servicetest.Account{robot, mighty} {
		owner.Do(http.MethodDelete, "/bots/"+bot.ID.String(), nil).OK()
	}
	for _, c := range []struct {
		by, of servicetest.Account
		msg    string // empty: succeeds
	}{
		{admin, second, "Must be an organization owner"},
		{admin, mighty, "Must be an organization owner"},
		{mia, mighty, "Must be an organization owner"},
		{mia, robot, "Must be an organization administrator"},
		{admin, robot, ""},
		{admin, third, ""},
		{owner, second, ""},
		{owner, mighty, ""},
		{mia, mighty, ""}, // it is active already
	} {
		if answer := c.by.Do(http.MethodPost, at(c.of)+"/reactivate", nil); c.msg == "" {
			answer.OK()
		} else {
			answer.Fails(400, "UNAUTHORIZED_PRINCIPAL", c.msg)
		}
	}
}
