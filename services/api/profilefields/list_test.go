package profilefields_test

import (
	"testing"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/user"
	"chatserver.dev/services/servicetest"
)

func TestList(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	servicetest.Same(t, "none", "[]", w.list(w.gus))
	room, born := w.create("Room", 1, ""), w.create("Born", 4, "")
	want := "[" + field(room, "Room", 1, "", "", 1) + "," + field(born, "Born", 4, "", "", 2) + "]"
	servicetest.Same(t, "for a guest", want, w.list(w.gus))
	servicetest.Same(t, "for a bot", want, w.list(w.Bot("Bo", actor.GenericBot, w.mia)))
	servicetest.Same(t, "of another organization", "[]", w.list(w.Account(w.NewOrg("other"), user.Draft{FullName: "Eve", Role: actor.Owner})))
}
