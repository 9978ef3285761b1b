package streams_test

import (
	"fmt"
	"testing"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/pkg/user"
	"chatserver.dev/services/servicetest"
)

type params = servicetest.Params

const bad = "BAD_REQUEST"

// world is a server with one account of each kind, public streams with Ann, Gus and the robot (Hall) or only Ann
// (Ball), and a private one with only Ann.
type world struct {
	*servicetest.World
	db                                 *storetest.Session
	owner, admin, ann, bob, gus, robot servicetest.Account
	stranger                           servicetest.Account // owner of another organization
	hall, ball, cave                   int64
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
	w.ball = w.ann.NewStream("Ball", nil)
	w.cave = w.ann.NewStream("cave", params{"invite_only": true})
	return w
}

// id returns the id of a stream of the first organization.
func (w *world) id(name string) int64 {
	w.T.Helper()
	return storetest.Values[int64](w.db, "select stream_id from streams where org_id = $1 and name = $2", w.Org.ID, name)[0]
}

// row returns a stream in the database.
func (w *world) row(stream int64) string {
	w.T.Helper()
	return storetest.Values[string](w.db, "select to_jsonb(s)::text from streams s where stream_id = $1", stream)[0]
}

// watches are queues of all accounts, for events of the given types.
func (w *world) watches(types ...string) map[string]*servicetest.Watch {
	all := map[string]*servicetest.Watch{}
	for _, a := range []servicetest.Account{w.owner, w.admin, w.ann, w.bob, w.gus, w.robot, w.stranger} {
		all[a.FullName] = a.Watch(types...)
	}
	return all
}

// checkEvents checks the events of all accounts since the last call. Accounts that aren't in want must have none.
func checkEvents(t *testing.T, watches map[string]*servicetest.Watch, want map[string][]string) {
	t.Helper()
	got := map[string][]string{}
	for name, watch := range watches {
		if events := watch.Events(); len(events) > 0 {
			got[name] = events
		}
	}
	servicetest.Same(t, "events", want, got)
}

func at(format string, args ...any) string { return fmt.Sprintf(format, args...) }
