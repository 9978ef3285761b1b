package accountpages_test

import (
	"net/http"
	"strconv"
	"strings"
	"testing"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/storetest"
)

func number(n int64) string { return strconv.FormatInt(n, 10) }

// A new address takes effect when the link in a mail to it is opened. The previous address is notified.
func TestConfirm(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ann, bob := w.Person("Ann", actor.Member), w.Person("Bob", actor.Member)
	ann.Do(http.MethodPatch, "/settings", params{"new_password": secret}).OK()
	if a := ann.Do(http.MethodPatch, "/settings", params{"email": "new@corp.example"}).OK(); !strings.Contains(a.Body, `"account_email":"Check your email for a confirmation link."`) {
		t.Error(a.Body)
	}
	letter := w.Letter()
	if letter.To != "new@corp.example" {
		t.Errorf("%+v", letter)
	}
	confirm := path(letter.Link)
	w.signsIn("new@corp.example", secret).Fails(403, "", "Your username or password is incorrect.")
	w.open(confirm).says(200, "new@corp.example")
	own, others := ann.Watch("realm_user"), bob.Watch("realm_user")
	w.submit(confirm).says(200, "Your address has changed")
	before := ann.RealEmail
	ann.RealEmail = "new@corp.example"
	if events := own.As(ann).Events(); len(events) != 2 || !strings.Contains(events[0], `"delivery_email":"new@corp.example"`) || !strings.Contains(events[1], `"new_email":"new@corp.example"`) {
		t.Errorf("%v", events)
	}
	if events := others.Events(); len(events) != 1 || !strings.Contains(events[0], `"new_email":"new@corp.example"`) {
		t.Errorf("%v", events)
	}
	if letter := w.Letter(); letter.To != before || !strings.Contains(letter.Before[0], "new@corp.example") {
		t.Errorf("%+v", letter)
	}
	w.signsIn("new@corp.example", secret).OK()
	w.submit(confirm).says(400, "This link isn&#39;t valid")
}

// Links for an address that may not change anymore, for one that was taken meanwhile, and of an account that is
// deactivated.
func TestConfirmTooLate(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	sql := storetest.Connect(t, w.DatabaseURL)
	ann, bob := w.Person("Ann", actor.Administrator), w.Person("Bob", actor.Member)
	bob.Do(http.MethodPatch, "/settings", params{"email": "new@corp.example"}).OK()
	confirm := path(w.Letter().Link)
	const fixed = "Email address changes are disabled in this organization."
	ann.Do(http.MethodPatch, "/realm", params{"email_changes_disabled": true}).OK()
	w.open(confirm).says(400, fixed)
	w.submit(confirm).says(400, fixed)
	ann.Do(http.MethodPatch, "/realm", params{"email_changes_disabled": false}).OK()
	w.open(confirm).says(200, "new@corp.example")
	ann.Do(http.MethodPost, "/users", params{"email": "NEW@corp.example", "full_name": "New", "password": secret}).OK()
	w.submit(confirm).says(400, "Already has an account.")
	sql.Exec("delete from passwords where user_id in (select user_id from users where email_key = 'new@corp.example')")
	sql.Exec("update users set email = 'another@corp.example' where email_key = 'new@corp.example'")
	sql.Exec("update users set active = false where user_id = $1", bob.ID)
	w.submit(confirm).says(400, "This link isn&#39;t valid")
	if letters := w.Letters(); len(letters) > 0 {
		t.Errorf("%+v", letters)
	}
}

// An attacker who has used an account can't get it back with an address that they requested: the request is removed
// together with the attacker's credentials.
func TestConfirmIsForTheCredentials(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ann := w.Person("Ann", actor.Member)
	asks := func(email string) string {
		ann.Do(http.MethodPatch, "/settings", params{"email": email}).OK()
		return path(w.Letter().Link)
	}
	refused := func(after, link string) {
		t.Helper()
		t.Log(after)
		w.open(link).says(400, "This link isn&#39;t valid")
		w.submit(link).says(400, "This link isn&#39;t valid")
	}
	link := asks("thief@corp.example")
	ann.Do(http.MethodPatch, "/settings", params{"new_password": secret}).OK()
	refused("a new password", link)

	link = asks("thief@corp.example")
	reply := struct {
		Key string `json:"api_key"`
	}{}
	ann.Do(http.MethodPost, "/users/me/api_key/regenerate", nil).OK().Decode(&reply)
	refused("a new API key", link)
}
