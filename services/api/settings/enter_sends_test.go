package settings_test

import (
	"net/http"
	"testing"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/services/servicetest"
)

// state registers for one kind of state.
func state(a servicetest.Account, kind string) object {
	got := object{}
	a.Do(http.MethodPost, "/register", params{"fetch_event_types": []string{kind}}).OK().Decode(&got)
	return got
}

func TestEnterSends(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	ann := w.Person("Ann", actor.Guest)
	robot := w.Bot("Robot", actor.GenericBot, w.Person("Eve", actor.Member))
	queues := map[string]*servicetest.Queue{"ann": ann.Everything(nil)}
	for _, sends := range []bool{true, false, true} {
		ann.Do(http.MethodPost, "/users/me/enter-sends", params{"enter_sends": sends}).OK()
		servicetest.Same(t, "state", any(sends), state(ann, "realm_user")["enter_sends"])
	}
	ann.Do(http.MethodPost, "/users/me/enter-sends", nil).Fails(http.StatusBadRequest, "REQUEST_VARIABLE_MISSING", "Missing 'enter_sends' argument")
	ann.Do(http.MethodPost, "/users/me/enter-sends", params{"enter_sends": "1"}).Fails(http.StatusBadRequest, "BAD_REQUEST", "enter_sends is not a boolean")
	robot.Do(http.MethodPost, "/users/me/enter-sends", params{"enter_sends": true}).
		Fails(http.StatusBadRequest, "", "This endpoint does not accept bot requests.")
	servicetest.Same(t, "events", map[string][]object{}, w.EventsOf(queues))
}
