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
	if diff := cmp.Diff(want, watching.Events()); diff != "" {
		t.Error(diff)
	}

	change(member, other, params{"full_name": `"Mine"`}).Fails(400, "BAD_REQUEST", "Insufficient permission")
	change(member, member, params{"role": 100}).Fails(400, "BAD_REQUEST", "Insufficient permission")
	change(member, robot, params{"role": 100}).Fails(400, "UNAUTHORIZED_PRINCIPAL", "Must be an organization owner")
	change(member, robot, params{"role": 200}).Fails(400, "UNAUTHORIZED_PRINCIPAL", "Must be an organization administrator")
	change(admin, admin, params{"role": 100}).Fails(400, "UNAUTHORIZED_PRINCIPAL", "Must be an organization owner")
	for _, role := range []int{300, 0, -400, 100 + 1<<16, 600 + 1<<32} {
		change(admin, member, params{"role": role}).Fails(400, "BAD_REQUEST", "Invalid role")
	}
	change(admin, member, params{"full_name": `"@ll"`}).Fails(400, "BAD_REQUEST", "Invalid characters in name!")
	change(admin, member, params{"full_name": `"X"`}).Fails(400, "BAD_REQUEST", "Name too short!")
	change(admin, member, params{"full_name": `"` + strings.Repeat("x", 101) + `"`}).Fails(400, "BAD_REQUEST", "Name too long!")
	change(admin, member, params{"full_name": `"Mia|7"`}).Fails(400, "BAD_REQUEST", "Invalid format!")
	change(member, robot, params{"full_name": `"Other"`}).Fails(400, "BAD_REQUEST", "Name is already in use!")
	change(owner, owner, params{"role": 400}).Fails(400, "", "The owner permission cannot be removed from the only organization owner.")
	change(admin, owner, params{"role": 400}).Fails(400, "", "The owner permission cannot be removed from the only organization owner.")
	admin.Do(http.MethodPatch, "/users/987654321", params{"role": 400}).Fails(400, "BAD_REQUEST", "No such user")
	if events := watching.Events(); len(events) != 0 {
		t.Errorf("events of refused requests: %v", events)
	}

	change(owner, admin, params{"role": 100}).OK()
	shows(t, func() bool { return change(admin, owner, params{"role": 400}).Status == 200 })
	shows(t, func() bool { return change(owner, member, params{"full_name": `"Mine"`}).Status == 400 })
}

// An account that loses permissions doesn't keep them through a bot, active or not.
func TestBotsLoseRights(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	w.WatchAccounts()
	owner, second := w.Person("Olga", actor.Owner), w.Person("Odo", actor.Owner)
	bots := []servicetest.Account{w.Bot("One", actor.GenericBot, second), w.Bot("Two", actor.GenericBot, second), w.Bot("Three", actor.GenericBot, owner)}
	watching := owner.Watch("realm_user")
	change := func(of servicetest.Account, role int) {
		owner.Do(http.MethodPatch, at(of), params{"role": role}).OK()
	}
	for _, bot := range bots {
		change(bot, 100)
	}
	owner.Do(http.MethodDelete, "/bots/"+bots[1].ID.String(), nil).OK()
	watching.Events()
	event := func(of servicetest.Account, role string) string {
		return `{"type":"realm_user","op":"update","person":{"user_id":` + of.ID.String() + `,"role":` + role + `}}`
	}

	change(second, 200)
	change(second, 600)
	want := []string{
		event(second, "200"), event(bots[0], "200"), event(bots[1], "200"),
		event(second, "600"), event(bots[0], "600"), event(bots[1], "600"),
	}
	if diff := cmp.Diff(want, watching.Events()); diff != "" {
		t.Error(diff)
	}
	second.Do(http.MethodPatch, at(bots[0]), params{"role": 400}).Fails(400, "UNAUTHORIZED_PRINCIPAL", "Must be an organization administrator")
	second.Do(http.MethodPost, at(bots[1])+"/reactivate", nil).Fails(400, "BAD_REQUEST", "Not allowed for guest users")
	owner.Do(http.MethodPost, at(bots[1])+"/reactivate", nil).OK()
	change(second, 400)
	if diff := cmp.Diff([]string{event(second, "400")}, watching.Events()[1:]); diff != "" {
		t.Error(diff)
	}
	second.Do(http.MethodPatch, at(bots[0]), params{"role": 400}).OK()
}

// Administrators change answers of others, too. Errors of answers come last.
func TestChangeAnswers(t *testing.T) {
	t.Parallel()
	w := newProfiles(t)
	watch := w.mia.Watch("realm_user")
	change := func(of servicetest.Account, p params) servicetest.Answer {
		return w.ann.Do(http.MethodPatch, at(of), p)
	}
	change(w.mia, params{"profile_data": []params{w.answer("Drink", "t"), w.answer("Room", "B12"), w.answer("Friends", []int64{int64(w.ann.ID)})}}).OK()
	change(w.mia, params{"full_name": `"Mia Two"`, "profile_data": []params{
		w.answer("Drink", nil), w.answer("Room", ""), w.answer("Friends", []int64{}), w.answer("Born", nil), w.answer("Forum", "mia"),
	}}).OK()
	want := []string{
		w.answered(w.mia, "Drink", `"value":"t"`), w.answered(w.mia, "Room", `"value":"B12","rendered_value":"<p>B12</p>"`),
		w.answered(w.mia, "Friends", `"value":"[`+w.ann.ID.String()+`]"`),
		`{"type":"realm_user","op":"update","person":{"user_id":` + w.mia.ID.String() + `,"full_name":"Mia Two"}}`,
		w.answered(w.mia, "Drink", `"value":null`), w.answered(w.mia, "Room", `"value":null`), w.answered(w.mia, "Friends", `"value":null`),
		w.answered(w.mia, "Forum", `"value":"mia"`),
	}
	if diff := cmp.Diff(want, watch.Events()); diff != "" {
		t.Error(diff)
	}
	unknown := []params{{"id": 987654321, "value": "x"}}
	change(w.mia, params{"full_name": `"X"`, "profile_data": unknown}).Fails(400, "BAD_REQUEST", "Name too short!")
	change(w.mia, params{"full_name": `"Mia Three"`, "profile_data": unknown}).Fails(400, "BAD_REQUEST", "Field id 987654321 not found.")
	change(w.robot, params{"profile_data": []params{w.answer("Drink", "t")}}).Fails(400, "BAD_REQUEST", "Insufficient permission")
	w.refuse(func(answers ...params) servicetest.Answer { return change(w.mia, params{"profile_data": answers}) })
	without := w.answer("Forum", nil)
	delete(without, "value") // it isn't null
	change(w.mia, params{"profile_data": []params{without}}).Fails(400, "BAD_REQUEST", "value key is missing from profile_data[0]")

	// Also for an inactive account, which has its answers when it is active again.
	watch.Events()
	change(w.gone, params{"profile_data": []params{w.answer("Drink", "t")}}).OK()
	w.ann.Do(http.MethodPost, at(w.gone)+"/reactivate", nil).OK()
	events := watch.Events()
	if diff := cmp.Diff(w.answered(w.gone, "Drink", `"value":"t"`), events[0]); diff != "" || !strings.Contains(events[1], `"profile_data":{"`) {
		t.Errorf("%s, %v", diff, events)
	}
}
