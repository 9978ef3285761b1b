package accountpages_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/services/servicetest"
)

// A person who has forgotten a password chooses a new one with a link in a mail, which is valid once.
func TestReset(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ann := w.Person("Ann", actor.Member)
	ann.Do(http.MethodPatch, "/settings", params{"new_password": secret}).OK()
	w.open("/reset/").says(200, `name="email"`)
	w.submit("/reset/", "email", " "+strings.ToUpper(ann.RealEmail)).says(200, "If there is an account")
	letter := w.Letter()
	if letter.To != ann.RealEmail || !strings.HasPrefix(letter.Link, "https://chat.example/reset/") {
		t.Fatalf("%+v", letter)
	}
	path := strings.TrimPrefix(letter.Link, "https://chat.example")
	w.open(path).says(200, `type="password"`)
	w.open(path).says(200, `value="`+ann.RealEmail+`"`)
	w.submit(path, "password", "hamlet").says(400, "New password is too weak!")
	w.submit(path, "password", strings.Repeat("x", 101)).says(400, "The password is too long")
	w.signsIn(ann.RealEmail, secret).OK()
	w.Letters() // about the login
	w.submit(path, "password", better).says(200, "Your password is set")
	w.signsIn(ann.RealEmail, secret).Fails(403, "", "Your username or password is incorrect.")
	if letter := w.Letter(); letter.To != ann.RealEmail || !strings.HasSuffix(letter.Subject, " was changed") {
		t.Errorf("%+v", letter)
	}
	w.signsIn(ann.RealEmail, better).OK()
	if left := storetest.Values[int](storetest.Connect(t, w.DatabaseURL), "select count(*)::int from logins"); left[0] != 1 {
		t.Errorf("%d logins, want the newest alone", left[0])
	}
	w.open(path).says(400, "This link isn&#39;t valid")
	w.submit(path, "password", secret).says(400, "This link isn&#39;t valid")
}

// A link is valid for the current password, for a day, and for its own organization.
func TestResetLinksEnd(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	sql := storetest.Connect(t, w.DatabaseURL)
	w.NewOrg("other")
	ann := w.Person("Ann", actor.Member)
	ask := func() string {
		w.submit("/reset/", "email", ann.RealEmail).says(200, "If there is an account")
		return strings.TrimPrefix(w.Letter().Link, "https://chat.example")
	}
	first, second := ask(), ask()
	w.open("https://other.chat.example"+first).says(400, "This link isn&#39;t valid")
	join := strings.Replace(first, "/reset/", "/join/", 1)
	w.open(join).says(400, "This link isn&#39;t valid")
	w.submit(join, "full_name", "Ann", "password", secret).says(400, "This link isn&#39;t valid")
	w.submit(first, "password", secret).says(200, "Your password is set")
	w.open(second).says(400, "This link isn&#39;t valid")
	w.submit("/reset/", "email", ann.RealEmail).says(429, "too many attempts")
	for _, token := range []string{"x", "%00", "%ff", strings.Repeat("A", 5000)} {
		w.open("/reset/"+token).says(400, "This link isn&#39;t valid")
	}
	bob := w.Person("Bob", actor.Member)
	w.submit("/reset/", "email", bob.RealEmail).says(200, "If there is an account")
	link := strings.TrimPrefix(w.Letter().Link, "https://chat.example")
	sql.Exec("update users set active = false where user_id = $1", bob.ID)
	w.open(link).says(400, "This link isn&#39;t valid")
	sql.Exec("update users set active = true where user_id = $1", bob.ID)
	sql.Exec("update mail_links set ends_at = now()")
	w.open(link).says(400, "This link isn&#39;t valid")
	if ends := storetest.Values[time.Time](sql, "select max(ends_at) from mail_links"); time.Until(ends[0]) > time.Minute {
		t.Error(ends)
	}
}

// A link in a mail to an account's previous address is invalid for the reader of that mail.
func TestResetLinksAreForTheAddress(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ann := w.Person("Ann", actor.Member)
	ann.Do(http.MethodPatch, "/settings", params{"new_password": secret}).OK()
	w.submit("/reset/", "email", ann.RealEmail).says(200, "If there is an account")
	link := path(w.Letter().Link)
	ann.Do(http.MethodPatch, "/settings", params{"email": "new@corp.example"}).OK()
	w.submit(path(w.Letter().Link)).says(200, "Your address has changed")
	w.open(link).says(400, "This link isn&#39;t valid")
	w.submit(link, "password", better).says(400, "This link isn&#39;t valid")
	w.signsIn("new@corp.example", secret).OK()
}

// Nobody gets a link that would be of no use.
func TestNoReset(t *testing.T) {
	t.Parallel()
	w := pagesOf(t, servicetest.New(t, org.Method{Name: "idp_1"}))
	sql := storetest.Connect(t, w.DatabaseURL)
	ann := w.Person("Ann", actor.Member)
	w.submit("/reset/", "email", ann.RealEmail).says(200, "If there is an account")
	sql.Exec("update organizations set deactivated = true")
	if letters := w.Letters(); len(letters) > 0 {
		t.Errorf("a deactivated organization: %+v", letters)
	}
	sql.Exec(`update organizations set deactivated = false,
		settings = settings || '{"authentication_methods": {"Email": false, "idp_1": true}}'`)
	w.submit("/reset/", "email", ann.RealEmail).says(403, "Password auth is disabled in your team.")
	w.Logins.Mail = false
	w.submit("/reset/", "email", ann.RealEmail).says(400, "This server sends no mail.")
}

// A network can't have mail sent to any number of addresses.
func TestRequestsOfANetwork(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for i := range 20 {
		w.submit("/reset/", "email", "nobody"+number(int64(i))+"@corp.example").says(200, "If there is an account")
	}
	w.submit("/reset/", "email", "somebody@corp.example").says(429, "too many attempts")
}

// The page is the same whether there is an account or not, and mail is sent only to the account.
func TestNobodyLearnsOfAccounts(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	sql := storetest.Connect(t, w.DatabaseURL)
	ann, gone := w.Person("Ann", actor.Member), w.Person("Gone", actor.Member)
	robot := w.Bot("Robot", actor.GenericBot, ann)
	sql.Exec("update users set active = false where user_id = $1", gone.ID)
	pages := []string{}
	for _, email := range []string{"nobody@corp.example", gone.RealEmail, robot.RealEmail, ann.RealEmail} {
		page := w.submit("/reset/", "email", email)
		pages = append(pages, page.body)
		if page.status != 200 || page.body != pages[0] {
			t.Errorf("%s: %d %s", email, page.status, page.body)
		}
	}
	if waiting := storetest.Values[int](sql, "select count(*)::int from mails"); waiting[0] != len(pages) {
		t.Errorf("%d requests of %d are stored: their number shows which accounts there are", waiting[0], len(pages))
	}
	if letter := w.Letter(); letter.To != ann.RealEmail {
		t.Errorf("%+v", letter)
	}
	for _, bad := range []string{"", "ann", "Ann <ann@chat.example>", ann.RealEmail + ", " + gone.RealEmail, "a@b.example\nBcc: c@d.example"} {
		w.submit("/reset/", "email", bad).says(400, "Enter a valid email address.")
	}
	if more := w.Letters(); len(more) > 0 {
		t.Errorf("%+v", more)
	}
}

// Forms of other websites, malformed forms, and networks with too many requests are refused.
func TestHostileVisits(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	form := "email=ann%40chat.example"
	w.request(http.MethodPost, "/reset/", form, "Sec-Fetch-Site", "cross-site").says(403, "CSRF Error")
	w.request(http.MethodPost, "/reset/", form, "Sec-Fetch-Site", "", "Origin", "https://elsewhere.example").says(403, "CSRF Error")
	w.request(http.MethodPost, "/reset/", "email="+strings.Repeat("x", 20000)).says(400, "can&#39;t be read")
	w.request(http.MethodPost, "/reset/", "email=%zz").says(400, "can&#39;t be read")
	w.request(http.MethodPost, "/reset/", "email=a%00").says(400, "can&#39;t be read")
	w.request(http.MethodPost, "/reset/", "email=%ff").says(400, "can&#39;t be read")
	w.open("https://nowhere.chat.example/reset/").says(400, "Invalid subdomain")
	page := w.submit("/reset/", "email", `"><script>alert(1)</script>`)
	if strings.Contains(page.body, "<script") {
		t.Error(page.body)
	}
	for name, want := range map[string]string{
		"Content-Security-Policy": "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
		"Cache-Control":           "no-store", "Referrer-Policy": "same-origin", "Cross-Origin-Opener-Policy": "same-origin",
	} {
		if got := page.header.Get(name); got != want {
			t.Errorf("%s: %q", name, got)
		}
	}
	refused := 0
	for range 70 {
		if w.open("/reset/").status == http.StatusTooManyRequests {
			refused++
		}
	}
	if refused < 10 {
		t.Errorf("%d of 70 visits are refused", refused)
	}
	if letters := w.Letters(); len(letters) > 0 {
		t.Errorf("%+v", letters)
	}
}
