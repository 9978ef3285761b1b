package domains_test

import (
	"testing"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/user"
	"chatserver.dev/services/servicetest"
)

type params = servicetest.Params

const bad = "BAD_REQUEST"

// world is a server with an organization that has an administrator, a member and a guest, and with the owner of
// another organization.
type world struct {
	*servicetest.World
	ada, mia, gus, stranger servicetest.Account
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{World: servicetest.New(t)}
	w.ada, w.mia, w.gus = w.Person("Ada", actor.Administrator), w.Person("Mia", actor.Member), w.Person("Gus", actor.Guest)
	w.stranger = w.Account(w.NewOrg("other"), user.Draft{FullName: "Oona", Role: actor.Owner})
	return w
}

// refused checks that only administrators may make a call.
func (w *world) refused(do func(by servicetest.Account) servicetest.Answer) {
	w.T.Helper()
	for _, who := range []servicetest.Account{w.mia, w.gus, w.Bot("Robot", actor.GenericBot, w.mia)} {
		do(who).Fails(400, "UNAUTHORIZED_PRINCIPAL", "Must be an organization administrator")
	}
}
