package events_test

import (
	"net/http"
	"testing"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/services/servicetest"
)

// The queues that an account had before it was deactivated end when it is active again: they lack what happened meanwhile.
func TestReactivatedQueueEnds(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	ann, bob := w.Person("Ann", actor.Administrator), w.Person("Bob", actor.Member)
	before, others := bob.Register(nil), ann.Watch("realm_user")
	ann.Do(http.MethodDelete, "/users/"+bob.ID.String(), nil).OK()
	ann.Do(http.MethodPatch, "/realm", servicetest.Params{"name": `"Meanwhile"`}).OK()
	ann.Do(http.MethodPost, "/users/"+bob.ID.String()+"/reactivate", nil).OK()
	if events := others.Events(); len(events) != 2 {
		t.Errorf("others receive %v", events)
	}
	bob.Do(http.MethodGet, "/events", servicetest.Params{"queue_id": before.ID, "last_event_id": -1}).
		Fails(400, "BAD_EVENT_QUEUE_ID", "Bad event queue id: "+before.ID)
	after := bob.Watch("realm")
	ann.Do(http.MethodPatch, "/realm", servicetest.Params{"name": `"Afterwards"`}).OK()
	if events := after.Events(); len(events) != 1 {
		t.Errorf("the new queue has %v", events)
	}
}
