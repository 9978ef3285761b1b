package subscriptions_test

import (
	"fmt"
	"strings"
	"testing"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/pkg/user"
	"chatserver.dev/services/servicetest"
)

type params = servicetest.Params

const own = "/users/me/subscriptions"

// world is a server with one account of each kind, a public stream with Ann, Gus and the robot, and a private one
// with only Ann.
type world struct {
	*servicetest.World
	db                                 *storetest.Session
	owner, admin, ann, bob, gus, robot servicetest.Account
	stranger                           servicetest.Account // owner of another organization
	hall, cave                         int64
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{World: servicetest.New(t)}
	w.db = storetest.Connect(t, w.DatabaseURL)
	w.owner, w.admin = w.Person("Olga", actor.Owner), w.Person("Ada", actor.Administrator)
	w.ann, w.bob, w.gus = w.Person("Ann", actor.Member), w.Person("Bob", actor.Member), w.Person("Gus", actor.Guest)
	w.robot = w.Bot("Robot", actor.GenericBot, w.bob)
	w.stranger = w.Account(w.NewOrg("other"), user.Draft{FullName: "Oona", Role: actor.Owner})
	w.hall = w.ann.NewStream("Hall", params{"principals": servicetest.IDs(w.ann, w.gus, w.robot)})
	w.cave = w.ann.NewStream("cave", params{"invite_only": true})
	return w
}

// subscribed returns the names of the streams that an account is subscribed to.
func (w *world) subscribed(who servicetest.Account) string {
	w.T.Helper()
	return strings.Join(storetest.Values[string](w.db, `select name from streams join subscriptions using (org_id, stream_id)
		where user_id = $1 and active order by name collate "C"`, who.ID), " ")
}

func at(format string, args ...any) string { return fmt.Sprintf(format, args...) }

// unchanged fails the test if work changes subscriptions or creates a stream.
func (w *world) unchanged(t *testing.T, work func()) {
	t.Helper()
	look := func() []string {
		return storetest.Values[string](w.db, `select concat_ws(' ', name, user_id, active, deactivated)
			from streams left join subscriptions using (org_id, stream_id) order by 1`)
	}
	before := look()
	work()
	servicetest.Same(t, "subscriptions", before, look())
}
