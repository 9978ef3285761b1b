package organization_test

import (
	"net/http"
	"testing"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/org"
	"chatserver.dev/services/servicetest"
)

type params = servicetest.Params

const (
	bad       = "BAD_REQUEST"
	principal = "UNAUTHORIZED_PRINCIPAL"
)

// world is a server with an organization that has an owner, an administrator, a member and a guest.
type world struct {
	*servicetest.World
	olga, ada, mia, gus servicetest.Account
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{World: servicetest.New(t, org.Method{Name: "idp_1"})}
	w.olga, w.ada = w.Person("Olga", actor.Owner), w.Person("Ada", actor.Administrator)
	w.mia, w.gus = w.Person("Mia", actor.Member), w.Person("Gus", actor.Guest)
	return w
}

// edit changes the organization and returns the response without the envelope.
func (w *world) edit(by servicetest.Account, p params) map[string]any {
	w.T.Helper()
	got := map[string]any{}
	by.Do(http.MethodPatch, "/realm", p).OK().Decode(&got)
	delete(got, "result")
	delete(got, "msg")
	return got
}

// stream creates a public or private stream and returns its id.
func (w *world) stream(by servicetest.Account, name string, private bool) int64 {
	w.T.Helper()
	return by.NewStream(name, params{"invite_only": private})
}
