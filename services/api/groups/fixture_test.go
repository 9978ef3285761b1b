package groups_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/services/servicetest"
)

type params = servicetest.Params

const bad = "BAD_REQUEST"

// world is a server with people of all roles.
type world struct {
	*servicetest.World
	db                     *storetest.Session
	ann, mia, max, gus, bo servicetest.Account // an administrator, members, a guest and a bot
	watch                  *servicetest.Watch  // of the guest
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{World: servicetest.New(t)}
	w.db = storetest.Connect(t, w.DatabaseURL)
	w.ann, w.mia, w.max = w.Person("Ann", actor.Administrator), w.Person("Mia", actor.Member), w.Person("Max", actor.Member)
	w.gus, w.bo = w.Person("Gus", actor.Guest), w.Bot("Bo", actor.GenericBot, w.mia)
	w.watch = w.gus.Watch("user_group")
	return w
}

// set changes settings of the organization.
func (w *world) set(settings string) {
	w.T.Helper()
	w.db.Exec("update organizations set settings = settings || $1::jsonb where org_id = $2", settings, w.Org.ID)
}

// create creates a group and returns its id.
func (w *world) create(name string, members ...servicetest.Account) int64 {
	w.T.Helper()
	w.ann.Do(http.MethodPost, "/user_groups/create", params{"name": name, "description": "of " + name, "members": servicetest.IDs(members...)}).OK()
	return storetest.Values[int64](w.db, "select group_id from user_groups where org_id = $1 and name = $2", w.Org.ID, name)[0]
}

// groups returns the list for an account, as JSON.
func (w *world) groups(as servicetest.Account) string {
	w.T.Helper()
	_, list, _ := strings.Cut(as.Do(http.MethodGet, "/user_groups", nil).OK().Body, `"user_groups":`)
	return strings.TrimSuffix(list, "}\n")
}

func at(group int64) string { return fmt.Sprintf("/user_groups/%d", group) }

// editors fails the test unless exactly the accounts that may change groups may make the call, which are only
// administrators with the policy for that. For others, the call must fail with the given fault.
func (w *world) editors(method, path string, p params, own string) {
	w.T.Helper()
	w.gus.Do(method, path, p).Fails(http.StatusBadRequest, bad, "Not allowed for guest users")
	w.bo.Do(method, path, p).Fails(http.StatusBadRequest, "", "This endpoint does not accept bot requests.")
	w.mia.Do(method, path, p).Fails(http.StatusBadRequest, bad, own)
	w.set(`{"user_group_edit_policy": 2}`)
	w.mia.Do(method, path, p).Fails(http.StatusBadRequest, "UNAUTHORIZED_PRINCIPAL", "Must be an organization administrator")
	w.set(`{"user_group_edit_policy": 1}`)
}
