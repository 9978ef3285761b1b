package devices_test

import (
	"fmt"
	"net/http"
	"testing"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/services/servicetest"
)

func TestRemove(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	ann, bob := w.Person("Ann", actor.Member), w.Person("Bob", actor.Owner)
	kept := add(ann, "https://push.example/1")
	at := fmt.Sprint(route, "/", add(ann, "https://push.example/2"))
	bob.Do(http.MethodDelete, at, nil).Fails(400, "BAD_REQUEST", "Invalid device id")
	ann.Do(http.MethodDelete, at, nil).OK()
	ann.Do(http.MethodDelete, at, nil).Fails(400, "BAD_REQUEST", "Invalid device id")
	servicetest.Same(t, "what is left", []string{"https://push.example/1"}, endpoints(ann))
	w.Bot("Robot", actor.GenericBot, ann).Do(http.MethodDelete, fmt.Sprint(route, "/", kept), nil).Fails(400, "", "This endpoint does not accept bot requests.")
}
