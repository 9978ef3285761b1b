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
	change(params{"old_password": first, "new_password": ""}).Fails(400, "", "Please fill out all fields.")
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
	if events := watching.Events(); len(events) != 1 || !strings.Contains(events[0], `"full_name":"Mia Two"`) {
		t.Errorf("events %v", events)
	}
	for range 6 {
		change(params{"old_password": "wrong", "new_password": first})
	}
	if a := change(params{"old_password": second, "new_password": first}); a.Status != http.StatusTooManyRequests || !strings.Contains(a.Body, "too many attempts") {
		t.Errorf("%d %s", a.Status, a.Body)
	}
}

// Nobody tests more than a few addresses for whether they have accounts, not even by those that are refused.
func TestGuessedAddresses(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	guest, member := w.Person("Gus", actor.Guest), w.Person("Mia", actor.Member)
	for range 20 {
		guest.Do(http.MethodPatch, "/settings", params{"email": member.RealEmail}).Fails(400, "", "Already has an account.")
	}
	for _, email := range []string{member.RealEmail, "new@corp.example"} {
		if a := guest.Do(http.MethodPatch, "/settings", params{"email": email}); a.Status != http.StatusTooManyRequests {
			t.Errorf("%s: %d %s", email, a.Status, a.Body)
		}
	}
}

// An address changes only when it is confirmed.
func TestOwnAddress(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	sql := storetest.Connect(t, w.DatabaseURL)
	member, admin, gone := w.Person("Mia", actor.Member), w.Person("Ada", actor.Administrator), w.Person("Gone", actor.Member)
	sql.Exec("update users set active = false where user_id = $1", gone.ID)
	change := func(email string) servicetest.Answer {
		return member.Do(http.MethodPatch, "/settings", params{"email": email})
	}
	change("mia").Fails(400, "", "Invalid address.")
	change(strings.ToUpper(admin.RealEmail)).Fails(400, "", "Already has an account.")
	change(gone.RealEmail).Fails(400, "", "Account has been deactivated.")
	change("notification-bot@chat.example").Fails(400, "", "Reserved for system bots.")
	change("EmailGateway@chat.example").Fails(400, "", "Reserved for system bots.") // it has no account yet
	change("new@mailinator.com").Fails(400, "", "Please use your real email address.")
	sql.Exec(`update organizations set settings = settings || '{"emails_restricted_to_domains": true}'`)
	change("new@corp.example").Fails(400, "", "Outside your domain.")
	change("new+more@corp.example").Fails(400, "", "Email addresses containing + are not allowed.")
	sql.Exec(`update organizations set settings = settings || '{"emails_restricted_to_domains": false}'`)
	if a := change(strings.ToUpper(member.RealEmail)).OK(); strings.Contains(a.Body, "account_email") {
		t.Error("the own address is a new one:", a.Body)
	}
	sql.Exec(`update organizations set settings = settings || '{"email_changes_disabled": true}'`)
	change("new@corp.example").Fails(400, "", "Email address changes are disabled in this organization.")
	admin.Do(http.MethodPatch, "/settings", params{"email": "newer@corp.example"}).OK()
	sql.Exec(`update organizations set settings = settings || '{"email_changes_disabled": false}'`)
	change("new@corp.example").OK()
	change("new@corp.example").OK()
	if a := change("new@corp.example"); a.Status != http.StatusTooManyRequests {
		t.Errorf("%d %s", a.Status, a.Body)
	}
	if letters := w.Letters(); len(letters) != 3 {
		t.Errorf("%+v", letters)
	}
	w.Logins.Mail = false
	change("new@corp.example").Fails(400, "", "This server sends no mail. Its administrators have to set that up first.")
	member.Do(http.MethodGet, "/users/me", nil).OK()
}
