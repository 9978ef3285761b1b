package groups_test

import (
	"fmt"
	"net/http"
	"testing"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/user"
	"chatserver.dev/services/servicetest"
)

func TestList(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	servicetest.Same(t, "none", "[]", w.groups(w.mia))
	second, first := w.create("ops", w.max, w.bo, w.mia), w.create("Ops")
	want := fmt.Sprintf(`[{"id":%d,"name":"ops","description":"of ops","members":[%d,%d,%d]},{"id":%d,"name":"Ops","description":"of Ops","members":[]}]`,
		second, w.mia.ID, w.max.ID, w.bo.ID, first)
	servicetest.Same(t, "groups", want, w.groups(w.mia))
	w.max.Do(http.MethodDelete, "/users/me", nil).OK()
	servicetest.Same(t, "with a member who is gone", want, w.groups(w.ann))
	w.gus.Do(http.MethodGet, "/user_groups", nil).Fails(http.StatusBadRequest, bad, "Not allowed for guest users")
	w.bo.Do(http.MethodGet, "/user_groups", nil).Fails(http.StatusBadRequest, "", "This endpoint does not accept bot requests.")
	eve := w.Account(w.NewOrg("other"), user.Draft{FullName: "Eve", Role: actor.Owner})
	servicetest.Same(t, "of another organization", "[]", w.groups(eve))

	state := struct {
		Groups any `json:"realm_user_groups"`
	}{}
	w.gus.Do(http.MethodPost, "/register", params{"fetch_event_types": []string{"realm_user_groups"}}).OK().Decode(&state)
	servicetest.Same(t, "the state of a guest", want, asJSON(t, state.Groups))
}
