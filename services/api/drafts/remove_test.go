package drafts_test

import (
	"net/http"
	"testing"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/services/servicetest"
)

func TestRemove(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	ann, bob := w.Person("Ann", actor.Member), w.Person("Bob", actor.Member)
	ids := add(ann, text("x"), text("y"))
	ann.Do(http.MethodDelete, path(ids[0]), nil).OK()
	bob.Do(http.MethodDelete, path(ids[1]), nil).Fails(http.StatusNotFound, "", "Draft does not exist")
	ann.Do(http.MethodDelete, path(ids[0]), nil).Fails(http.StatusNotFound, "", "Draft does not exist")
	left := list(ann)
	servicetest.Same(t, "number of drafts", 1, len(left))
	servicetest.Same(t, "what is left", any("y"), left[path(ids[1])[len("/drafts/"):]]["content"])
}
