package events_test

import (
	"net/http"
	"strings"
	"testing"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/user"
	"chatserver.dev/services/servicetest"
)

func TestDelete(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	ann, bob := w.Person("Ann", actor.Member), w.Person("Bob", actor.Member)
	queue := ann.Register(servicetest.Params{})
	ann.Do(http.MethodDelete, "/events", nil).Fails(400, "REQUEST_VARIABLE_MISSING", "Missing 'queue_id' argument")
	bob.Do(http.MethodDelete, "/events", servicetest.Params{"queue_id": queue.ID}).
		Fails(400, "", "You are not authorized to access this queue")
	rival := w.Account(w.NewOrg("rival"), user.Draft{FullName: "Rita", Role: actor.Owner})
	rival.Do(http.MethodDelete, "/events", servicetest.Params{"queue_id": queue.ID}).
		Fails(400, "BAD_EVENT_QUEUE_ID", "Bad event queue id: "+queue.ID)
	waits := make(chan servicetest.Answer)
	go func() {
		waits <- ann.Do(http.MethodGet, "/events", servicetest.Params{"queue_id": queue.ID, "last_event_id": "-1"})
	}()
	w.Parked(1)
	ann.Do(http.MethodDelete, "/events", servicetest.Params{"queue_id": queue.ID}).OK()
	if answer := (<-waits).OK(); !strings.Contains(answer.Body, `"events":[]`) {
		t.Errorf("the waiting poll got %s", answer.Body)
	}
	for _, method := range []string{http.MethodDelete, http.MethodGet} {
		got := struct {
			QueueID string `json:"queue_id"`
		}{}
		ann.Do(method, "/events", servicetest.Params{"queue_id": queue.ID, "last_event_id": "-1"}).
			Fails(400, "BAD_EVENT_QUEUE_ID", "Bad event queue id: "+queue.ID).Decode(&got)
		if got.QueueID != queue.ID {
			t.Errorf("%s: queue_id %q", method, got.QueueID)
		}
	}
}
