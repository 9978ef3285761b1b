package linkifiers_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/testbed"
	"chatserver.dev/pkg/user"
	"chatserver.dev/services/servicetest"
)

type params = servicetest.Params

const (
	bad     = "BAD_REQUEST"
	ticket  = `#(?P<id>[0-9]+)`
	address = "https://tickets.example/%(id)s"
)

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

// add adds a linkifier and returns its id.
func (w *world) add(pattern, format string) (number int64) {
	w.T.Helper()
	reply := struct{ ID int64 }{}
	w.ada.Do(http.MethodPost, "/realm/filters", params{"pattern": pattern, "url_format_string": format}).OK().Decode(&reply)
	return reply.ID
}

// refused checks that only administrators may make a call.
func (w *world) refused(do func(by servicetest.Account) servicetest.Answer) {
	w.T.Helper()
	for _, who := range []servicetest.Account{w.mia, w.gus, w.Bot("Robot", actor.GenericBot, w.mia)} {
		do(who).Fails(400, "UNAUTHORIZED_PRINCIPAL", "Must be an organization administrator")
	}
}

// renders waits until an account's text is rendered with, or without, some HTML. Senders notice changes within three
// seconds.
func renders(t *testing.T, by servicetest.Account, text, part string, want bool) {
	t.Helper()
	testbed.Until(t, fmt.Sprintf("%q has %q: %t", text, part, want), func() bool {
		reply := struct{ Rendered string }{}
		by.Do(http.MethodPost, "/messages/render", params{"content": text}).OK().Decode(&reply)
		return strings.Contains(reply.Rendered, part) == want
	})
}
