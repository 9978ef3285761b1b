package settings_test

import (
	"net/http"
	"strings"
	"testing"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/services/servicetest"
)

func TestOwn(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	member := w.Person("Mia", actor.Member)
	robot := w.Bot("Robot", actor.GenericBot, member)
	change := func(p params) servicetest.Answer { return member.Do(http.MethodPatch, "/settings", p) }
	const first, second = "correct horse battery", "better horse battery!"

	change(nil).Fails(400, "", "Please fill out all fields.")
	change(params{"full_name": "X"}).Fails(400, "BAD_REQUEST", "Name too short!")
	change(params{"full_name": "Mia|7"}).Fails(400, "BAD_REQUEST", "Invalid format!")
	change(params{"new_password": "mia123"}).Fails(400, "", "New password is too weak!")
	change(params{"new_password": strings.Repeat("x", 101)}).Fails(400, "", "The password is too long (limit: 100 bytes).")
	change(params{"old_password": first, "new_password": second}).Fails(400, "", "Wrong password!")
	change(params{"new_password": first}).OK()
	change(params{"new_password": second}).Fails(400, "", "Wrong password!")
	change(params{"old_password": first, "new_password": second}).OK()
	robot.Do(http.MethodPatch, "/settings", params{"full_name": "Mine"}).Fails(400, "", "This endpoint does not accept bot requests.")

	watching := member.Watch("realm_user")
	if a := change(params{"full_name": " Mia Two "}).OK(); !strings.Contains(a.Body, `"full_name":"Mia Two"`) {
		t.Error(a.Body)
	}
	storetest.Connect(t, w.DatabaseURL).Exec(`update organizations set settings = jsonb_set(settings, '{name_changes_disabled}', 'true')`)
	if a := change(params{"full_name": "Mia Three"}).OK(); strings.Contains(a.Body, "full_name") {
		t.Error(a.Body)
	}
	if told := watching.Told(); len(told) != 1 || !strings.Contains(told[0], `"full_name":"Mia Two"`) {
		t.Errorf("events %v", told)
	}
	for range 6 {
		change(params{"old_password": "wrong", "new_password": first})
	}
	if a := change(params{"old_password": second, "new_password": first}); a.Status != http.StatusTooManyRequests || !strings.Contains(a.Body, "too many attempts") {
		t.Errorf("%d %s", a.Status, a.Body)
	}
}
