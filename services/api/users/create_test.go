package users_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/testbed"
	"chatserver.dev/services/servicetest"
)

type params = servicetest.Params

const secret = "correct horse battery"

func at(a servicetest.Account) string { return fmt.Sprintf("/users/%d", a.ID) }

// An administrator creates an account. The person signs in and is subscribed to the default streams.
func TestCreate(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	admin, member := w.Person("Ann", actor.Administrator), w.Person("Mia", actor.Member)
	hall := admin.NewStream("hall", nil)
	admin.Do(http.MethodPost, "/default_streams", params{"stream_id": hall}).OK()
	watching := member.Watch("realm_user")
	create := func(by servicetest.Account, email, name, password string) servicetest.Answer {
		return by.Do(http.MethodPost, "/users", params{"email": email, "full_name": name, "password": password})
	}
	create(admin, " New@corp.example ", "New Person", secret).OK()

	fresh := signIn(admin, "new@corp.example")
	subscribed := struct{ Subscriptions []struct{ Name string } }{}
	fresh.Do(http.MethodGet, "/users/me/subscriptions", nil).OK().Decode(&subscribed)
	if len(subscribed.Subscriptions) != 1 || subscribed.Subscriptions[0].Name != "hall" {
		t.Errorf("subscribed to %v", subscribed)
	}
	if events := watching.Events(); len(events) != 1 || !strings.Contains(events[0], `"op":"add"`) || !strings.Contains(events[0], `"New@corp.example"`) {
		t.Errorf("events %v", events)
	}

	create(member, "x@corp.example", "Xaver", secret).Fails(400, "UNAUTHORIZED_PRINCIPAL", "Must be an organization administrator")
	create(admin, "x@corp.example", "X", secret).Fails(400, "BAD_REQUEST", "Name too short!")
	create(admin, "x@corp.example", strings.Repeat("x", 101), secret).Fails(400, "BAD_REQUEST", "Name too long!")
	create(admin, "x@corp.example", "Xaver|7", secret).Fails(400, "BAD_REQUEST", "Invalid format!")
	create(admin, "corp.example", "Xaver", secret).Fails(400, "", "Bad name or username")
	create(admin, "X <x@corp.example>", "Xaver", secret).Fails(400, "", "Bad name or username")
	create(admin, strings.Repeat("x", 250)+"@corp.example", "Xaver", secret).Fails(400, "", "Bad name or username")
	create(admin, "x@corp.example", "Xaver", "xaver1").Fails(400, "", "The password is too weak.")
	create(admin, "x@corp.example", "Xaver", strings.Repeat("x", 101)).Fails(400, "", "The password is too long (limit: 100 bytes).")
	create(admin, "NEW@corp.example", "Xaver", secret).Fails(400, "", "Email 'NEW@corp.example' already in use")
	create(admin, "emailgateway@chat.example", "Xaver", secret).Fails(400, "", "Email 'emailgateway@chat.example' already in use")
	if events := watching.Events(); len(events) != 0 {
		t.Errorf("events of refused requests: %v", events)
	}
}

// signIn returns the person with an address, with a new key.
func signIn(of servicetest.Account, email string) servicetest.Account {
	reply := struct {
		APIKey string `json:"api_key"`
	}{}
	of.Do(http.MethodPost, "/fetch_api_key", params{"username": email, "password": secret}).OK().Decode(&reply)
	of.RealEmail, of.Key = email, reply.APIKey
	return of
}

// shows waits until a change of an account is noticed, which takes up to 3 seconds.
func shows(t *testing.T, holds func() bool) {
	t.Helper()
	testbed.Until(t, "the change shows", holds)
}
