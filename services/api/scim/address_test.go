package scim_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/pkg/user"
	"chatserver.dev/services/servicetest"
)

// An address that the provider changes takes effect at once, and a mail to the previous address reports it.
func TestAddress(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ann := w.Account(w.Org, user.Draft{FullName: "Ann", RealEmail: "ann@corp.example", Role: actor.Administrator})
	path := fmt.Sprint("/Users/", ann.ID)
	watch := w.owner.Watch("realm_user")
	patch := func(operation string) object {
		t.Helper()
		return w.ok(200, http.MethodPatch, path, `{"Operations":[`+operation+`]}`)
	}
	check := func(got object, userName, email string) {
		t.Helper()
		if got["userName"] != userName || fmt.Sprint(got["emails"]) != "[map[value:"+email+"]]" {
			t.Errorf("%v, want %s, %s", got, userName, email)
		}
	}
	check(patch(`{"op":"replace","path":"emails[type eq \"work\"].value","value":"anna@corp.example"}`), "ann@corp.example", "anna@corp.example")
	if letter := w.Letter(); letter.To != "ann@corp.example" || !strings.Contains(letter.Before[0], "anna@corp.example") {
		t.Errorf("%+v", letter)
	}
	check(patch(`{"op":"replace","path":"userName","value":"anna@corp.example"}`), "anna@corp.example", "anna@corp.example")
	// From now on, her user name is also her address, also when it changes, unless it isn't a valid address.
	check(patch(`{"op":"replace","value":{"userName":"ann.b@corp.example"}}`), "ann.b@corp.example", "ann.b@corp.example")
	check(patch(`{"op":"replace","value":{"userName":"annb"}}`), "annb", "ann.b@corp.example")
	check(w.ok(200, http.MethodPut, path, `{"userName":"ann.c@corp.example","displayName":"Ann"}`), "ann.c@corp.example", "ann.c@corp.example")
	check(patch(`{"op":"replace","path":"emails.value","value":"ANN.C@corp.example"}`), "ann.c@corp.example", "ann.c@corp.example")
	if events := watch.Events(); len(events) != 3 || !strings.Contains(events[2], `"new_email":"ann.c@corp.example"`) {
		t.Errorf("%d events: %q", len(events), events)
	}

	to := func(email string) (method, path, body string) {
		return http.MethodPatch, fmt.Sprint("/Users/", ann.ID), `{"Operations":[{"op":"replace","path":"emails.value","value":"` + email + `"}]}`
	}
	fails := func(status int, kind, email string) {
		t.Helper()
		method, path, body := to(email)
		w.fails(status, kind, method, path, body)
	}
	robot := w.Bot("Robot", actor.GenericBot, w.owner)
	gone := w.Person("Gone", actor.Member)
	sql := storetest.Connect(t, w.DatabaseURL)
	sql.Exec("update users set active = false where user_id = $1", gone.ID)
	for _, email := range []string{w.owner.RealEmail, strings.ToUpper(w.owner.RealEmail), robot.RealEmail, gone.RealEmail, "notification-bot@chat.example"} {
		fails(409, "uniqueness", email)
	}
	fails(400, "invalidValue", "not an address")
	sql.Exec(`update organizations set settings = '{"emails_restricted_to_domains": true}'`)
	fails(400, "invalidValue", "ann@corp.example")
	w.fails(400, "invalidValue", http.MethodPost, "/Users", `{"userName":"new@corp.example"}`)
	check(w.ok(200, http.MethodGet, path, ""), "ann.c@corp.example", "ann.c@corp.example")
}

// An account that was created by an interrupted call is completed later.
func TestInterrupted(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.owner.Subscribe("den")
	sql := storetest.Connect(t, w.DatabaseURL)
	sql.Exec("update streams set is_default = true")
	w.Interrupt(func() { w.fails(500, "", http.MethodPost, "/Users", mia) })
	w.fails(409, "uniqueness", http.MethodPost, "/Users", mia)
	in := storetest.Values[string](sql, "select s.name from subscriptions join streams s using (org_id, stream_id) join users using (org_id, user_id) where email = 'mia@corp.example'")
	welcomed := storetest.Values[int](sql, "select count(*)::int from messages where content like 'Welcome!%'")
	if fmt.Sprint(in, welcomed) != "[den] [1]" {
		t.Errorf("%q, %d", in, welcomed)
	}
}

// A created person gets the welcome messages and the streams of their invitation.
func TestWelcome(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.owner.Do(http.MethodPost, "/users/me/subscriptions", servicetest.Params{"subscriptions": []servicetest.Params{{"name": "den"}}, "invite_only": true}).OK()
	sql := storetest.Connect(t, w.DatabaseURL)
	sql.Exec(`insert into invitations (org_id, inviter_id, email, role, streams)
		select $1, $2, 'MIA@corp.example', 600, array_agg(stream_id) from streams where name = 'den'`, w.Org.ID, w.owner.ID)
	watch := w.owner.Watch("invites_changed")
	w.ok(201, http.MethodPost, "/Users", mia)
	got := storetest.Values[string](sql, `select u.role || ' ' || s.name from users u join subscriptions using (org_id, user_id)
		join streams s using (org_id, stream_id) where u.email = 'mia@corp.example'`)
	welcomed := storetest.Values[string](sql, `select string_agg(split_part(content, ' ', 1), ' ' order by message_id) from messages where content like 'Welcome!%' or content like '%accepted%'`)
	if fmt.Sprint(got) != "[600 den]" || len(watch.Events()) != 1 || !strings.HasPrefix(welcomed[0], "Welcome! @_**Mia") {
		t.Errorf("%q, %q", got, welcomed)
	}
	w.ok(204, http.MethodDelete, "/Users/"+w.ok(200, http.MethodGet, "/Users?filter=userName+eq+%22mia%22", "")["Resources"].([]any)[0].(object)["id"].(string), "")
	w.ok(201, http.MethodPost, "/Users", mia)
	if again := storetest.Values[int](sql, `select count(*)::int from messages where content like 'Welcome!%'`); again[0] != 1 {
		t.Errorf("a returning person got %d welcome messages", again[0])
	}
}
