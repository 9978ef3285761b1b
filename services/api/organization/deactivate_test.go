package organization_test

import (
	"net/http"
	"testing"
	"time"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/testbed"
	"chatserver.dev/pkg/user"
	"chatserver.dev/services/servicetest"
)

// Connected clients get an event when an organization is deactivated. Nothing else ends their polls here.
func TestDeactivateEvent(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	q, answer := w.mia.Register(params{"event_types": []string{"realm"}}), make(chan servicetest.Answer, 1)
	go func() {
		answer <- w.mia.Do(http.MethodGet, "/events", params{"queue_id": q.ID, "last_event_id": q.Last})
	}()
	w.Parked(1)
	w.olga.Do(http.MethodPost, "/realm/deactivate", nil).OK()
	got := struct{ Events []servicetest.Event }{}
	select {
	case a := <-answer:
		a.OK().Decode(&got)
	case <-time.After(time.Minute):
		t.Fatal("the poll still waits")
	}
	if len(got.Events) != 1 || got.Events[0].Type != "realm" || got.Events[0].Op != "deactivated" {
		t.Errorf("Mia received %+v", got.Events)
	}
}

// TestRolesThatAreGone changes an organization as accounts that have just lost their role, before that takes effect.
func TestRolesThatAreGone(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	second := w.Person("Odo", actor.Owner)
	w.Remember()
	for _, known := range []servicetest.Account{second, w.ada} {
		known.Do(http.MethodGet, "/users/me", nil).OK()
		w.olga.Do(http.MethodPatch, "/users/"+known.ID.String(), params{"role": 400}).OK()
	}
	second.Do(http.MethodPost, "/realm/deactivate", nil).Fails(400, principal, "Must be an organization owner")
	second.Do(http.MethodPatch, "/realm", params{"message_retention_days": 1}).Fails(400, principal, "Must be an organization owner")
	w.ada.Do(http.MethodPatch, "/realm", params{"name": "Hers"}).Fails(400, principal, "Must be an organization administrator")
	domain := params{"domain": "ada.example", "allow_subdomains": false}
	w.ada.Do(http.MethodPost, "/realm/domains", domain).Fails(400, principal, "Must be an organization administrator")
	w.olga.Do(http.MethodPost, "/realm/domains", domain).OK()
	w.ada.Do(http.MethodPatch, "/realm/domains/ada.example", params{"allow_subdomains": true}).Fails(400, principal, "Must be an organization administrator")
	w.ada.Do(http.MethodDelete, "/realm/domains/ada.example", nil).Fails(400, principal, "Must be an organization administrator")
}

// Nothing works in a deactivated organization: requests, waiting polls, integrations, logins. Other organizations
// aren't affected.
func TestDeactivate(t *testing.T) {
	testbed.Slow(t)
	t.Parallel()
	w := newWorld(t)
	hook := w.Bot("Hook", actor.IncomingWebhook, w.olga)
	other := w.Account(w.NewOrg("other"), user.Draft{FullName: "Oona", Role: actor.Owner})
	end := func(by servicetest.Account) servicetest.Answer {
		return by.Do(http.MethodPost, "/realm/deactivate", nil)
	}
	for _, who := range []servicetest.Account{w.ada, w.mia, w.gus} {
		end(who).Fails(400, principal, "Must be an organization owner")
	}
	w.WatchAccounts()
	polls := map[string]chan servicetest.Answer{}
	for name, poll := range map[string]struct {
		servicetest.Account
		types []string
	}{"mia": {w.mia, []string{"realm"}}, "gus": {w.gus, []string{"message"}}, "oona": {other, []string{"message"}}} {
		q := poll.Register(params{"event_types": poll.types})
		polls[name] = make(chan servicetest.Answer, 1)
		go func() {
			polls[name] <- poll.Do(http.MethodGet, "/events", params{"queue_id": q.ID, "last_event_id": q.Last})
		}()
	}
	w.Parked(3)
	end(w.olga).OK()
	ended := func(name string) {
		t.Helper()
		select {
		case answer := <-polls[name]:
			answer.OK()
		case <-time.After(time.Minute):
			t.Fatalf("the poll of %s still waits", name)
		}
	}
	ended("mia")
	ended("gus")
	for _, who := range []servicetest.Account{w.olga, w.ada, w.mia, w.gus} {
		who.Do(http.MethodGet, "/users/me", nil).Fails(401, "UNAUTHORIZED", "This organization has been deactivated")
		who.Do(http.MethodPost, "/register", nil).Fails(401, "UNAUTHORIZED", "This organization has been deactivated")
	}
	hook.Do(http.MethodPost, "/external/helloworld?api_key="+hook.Key, nil).Fails(400, bad, "This organization has been deactivated")
	w.mia.Do(http.MethodPost, "/fetch_api_key", params{"username": w.mia.RealEmail, "password": "x"}).
		Fails(403, "", "This organization has been deactivated.")
	other.Do(http.MethodGet, "/users/me", nil).OK()
	select {
	case answer := <-polls["oona"]:
		t.Errorf("another organization's poll ended: %s", answer.Body)
	default:
	}
	other.Subscribe("hall")
	other.SendStream("hall", "x", "hello")
	ended("oona")
}
