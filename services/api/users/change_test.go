package users_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/services/servicetest"
)

func TestChange(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	w.WatchAccounts()
	owner, admin, member := w.Person("Olga", actor.Owner), w.Person("Ann", actor.Administrator), w.Person("Mia", actor.Member)
	robot, other := w.Bot("Robot", actor.GenericBot, member), w.Bot("Other", actor.GenericBot, owner)
	watching := owner.Watch("realm_user", "realm_bot")
	change := func(by, of servicetest.Account, p params) servicetest.Answer {
		return by.Do(http.MethodPatch, at(of), p)
	}

	change(admin, member, params{"full_name": `"Mia Two"`, "role": 200}).OK()
	change(admin, member, params{"full_name": `"  "`, "role": 400}).OK()
	change(member, robot, params{"full_name": `"Robot Two"`, "role": 600}).OK()
	change(admin, other, params{"role": 400}).OK()
	want := []string{
		`{"type":"realm_user","op":"update","person":{"user_id":` + member.ID.String() + `,"full_name":"Mia Two"}}`,
		`{"type":"realm_user","op":"update","person":{"user_id":` + member.ID.String() + `,"role":200}}`,
		`{"type":"realm_user","op":"update","person":{"user_id":` + member.ID.String() + `,"role":400}}`,
		`{"type":"realm_user","op":"update","person":{"user_id":` + robot.ID.String() + `,"full_name":"Robot Two"}}`,
		`{"type":"realm_bot","op":"update","bot":{"user_id":` + robot.ID.String() + `,"full_name":"Robot Two"}}`,
		`{"type":"realm_user","op":"update","person":{"user_id":` + robot.ID.String() + `,"role":600}}`,
	}
	if diff := cmp.Diff(want, watching.Told()); diff != "" {
		t.Error(diff)
	}

	change(member, other, params{"full_name": `"Mine"`}).Fails(400, "BAD_REQUEST", "Insufficient permission")
	change(member, member, params{"role": 100}).Fails(400, "BAD_REQUEST", "Insufficient permission")
	change(member, robot, params{"role": 100}).Fails(400, "UNAUTHORIZED_PRINCIPAL", "Must be an organization owner")
	change(member, robot, params{"role": 200}).Fails(400, "UNAUTHORIZED_PRINCIPAL", "Must be an organization administrator")
	change(admin, admin, params{"role": 100}).Fails(400, "UNAUTHORIZED_PRINCIPAL", "Must be an organization owner")
	change(admin, member, params{"role": 300}).Fails(400, "BAD_REQUEST", "Invalid role")
	change(admin, member, params{"full_name": `"@ll"`}).Fails(400, "BAD_REQUEST", "Invalid characters in name!")
	change(admin, member, params{"full_name": `"X"`}).Fails(400, "BAD_REQUEST", "Name too short!")
	change(admin, member, params{"full_name": `"` + strings.Repeat("x", 101) + `"`}).Fails(400, "BAD_REQUEST", "Name too long!")
	change(admin, member, params{"full_name": `"Mia|7"`}).Fails(400, "BAD_REQUEST", "Invalid format!")
	change(member, robot, params{"full_name": `"Other"`}).Fails(400, "BAD_REQUEST", "Name is already in use!")
	change(owner, owner, params{"role": 400}).Fails(400, "", "The owner permission cannot be removed from the only organization owner.")
	change(admin, owner, params{"role": 400}).Fails(400, "", "The owner permission cannot be removed from the only organization owner.")
	admin.Do(http.MethodPatch, "/users/987654321", params{"role": 400}).Fails(400, "BAD_REQUEST", "No such user")
	if told := watching.Told(); len(told) != 0 {
		t.Errorf("events of what was refused: %v", told)
	}

	change(owner, admin, params{"role": 100}).OK()
	shows(t, func() bool { return change(admin, owner, params{"role": 400}).Status == 200 })
	shows(t, func() bool { return change(owner, member, params{"full_name": `"Mine"`}).Status == 400 })
}
