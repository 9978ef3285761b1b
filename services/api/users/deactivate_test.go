package users_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/id"
	"chatserver.dev/services/servicetest"
)

// A deactivated account can't do anything anymore, nor can its bots, with any key. Waiting polls end.
func TestDeactivate(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	w.WatchAccounts()
	owner, admin := w.Person("Olga", actor.Owner), w.Person("Ann", actor.Administrator)
	admin.Do(http.MethodPost, "/users", params{"email": "mia@corp.example", "full_name": "Mia", "password": secret}).OK()
	member := signIn(admin, "mia@corp.example")
	me := struct {
		ID id.User `json:"user_id"`
	}{}
	member.Do(http.MethodGet, "/users/me", nil).OK().Decode(&me)
	member.ID = me.ID
	robot := w.Bot("Robot", actor.GenericBot, member)
	watching := owner.Watch("realm_user", "realm_bot")
	remove := func(by, of servicetest.Account) servicetest.Answer { return by.Do(http.MethodDelete, at(of), nil) }

	remove(member, admin).Fails(400, "BAD_REQUEST", "Insufficient permission")
	remove(admin, owner).Fails(400, "UNAUTHORIZED_PRINCIPAL", "Must be an organization owner")
	remove(owner, owner).Fails(400, "", "Cannot deactivate the only organization owner")
	remove(admin, robot).Fails(400, "BAD_REQUEST", "No such user")
	admin.Do(http.MethodDelete, "/users/987654321", nil).Fails(400, "BAD_REQUEST", "No such user")

	queue := member.Register(nil)
	ended := make(chan int, 1)
	go func() {
		for {
			a := member.Do(http.MethodGet, "/events", params{"queue_id": queue.ID, "last_event_id": queue.Last})
			if a.Status != http.StatusOK {
				ended <- a.Status
				return
			}
			queue.Last++
		}
	}()
	w.Parked(1)
	remove(admin, member).OK()
	remove(admin, member).Fails(400, "BAD_REQUEST", "User is deactivated")
	if status := <-ended; status != http.StatusUnauthorized {
		t.Errorf("the poll ended with %d", status)
	}
	ops := []string(nil)
	for _, e := range watching.Events() {
		op, _, _ := strings.Cut(e, `"person"`)
		op, _, _ = strings.Cut(op, `"bot"`)
		ops = append(ops, op)
	}
	want := []string{`{"type":"realm_user","op":"remove",`, `{"type":"realm_user","op":"remove",`, `{"type":"realm_bot","op":"remove",`}
	if diff := cmp.Diff(want, ops); diff != "" {
		t.Error(diff)
	}
	for _, gone := range []servicetest.Account{member, robot} {
		shows(t, func() bool { return gone.Do(http.MethodGet, "/users/me", nil).Status == 401 })
	}
	member.Do(http.MethodGet, "/users/me", nil).Fails(401, "UNAUTHORIZED", "Account is deactivated")
	member.Do(http.MethodPost, "/fetch_api_key", params{"username": "mia@corp.example", "password": secret}).Fails(403, "", "Your account has been disabled.")
}
