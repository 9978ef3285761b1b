package accountpages_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/services/api/accountpages"
)

// opened opens a page, or submits its form, in a browser with preferred languages.
func (w *world) opened(method, address, languages string, fields ...string) shown {
	w.t.Helper()
	values := url.Values{}
	for i := 0; i < len(fields); i += 2 {
		values.Set(fields[i], fields[i+1])
	}
	return w.request(method, address, values.Encode(), "Accept-Language", languages)
}

// A page and its mail are in the language of the browser, or else in that of the organization.
func TestLanguageOfTheBrowser(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	sql := storetest.Connect(t, w.DatabaseURL)
	sql.Exec(`update organizations set settings = settings || '{"invite_required": false}'`)
	w.opened(http.MethodGet, "/register", "de-AT,en;q=0.5").says(200, `<html lang="de" dir="ltr">`)
	w.opened(http.MethodGet, "/register", "de-AT,en;q=0.5").says(200, "Deine E-Mail-Adresse")
	w.opened(http.MethodGet, "/register", "fr,en;q=0.5").says(200, `<html lang="en" dir="ltr">`)
	w.opened(http.MethodGet, "/register", `"><script>`).says(200, `<html lang="en" dir="ltr">`)
	w.opened(http.MethodPost, "/register", "de", "email", "nobody").says(400, "Gib eine gültige E-Mail-Adresse ein.")
	w.opened(http.MethodPost, "/register", "de", "email", "bob@corp.example").says(200, "Sieh in deine E-Mails")
	letter := w.Letter()
	if letter.Language != "de" || letter.Subject != "Plant beitreten" || !strings.Contains(letter.Before[0], "Jemand, vermutlich du") {
		t.Errorf("%+v", letter)
	}
	join := path(letter.Link)
	weak := w.opened(http.MethodPost, join, "de", "full_name", "<b>Bob", "password", "bob")
	weak.says(400, "Der Name enthält ungültige Zeichen.")
	if weak.says(400, `value="&lt;b&gt;Bob"`); strings.Contains(weak.body, "<b>") {
		t.Error(weak.body)
	}
	w.opened(http.MethodPost, join, "de", "full_name", "Bob", "password", "bob").says(400, "Das Passwort ist zu leicht zu erraten.")
	sql.Exec(`update organizations set settings = settings || '{"default_language": "de"}'`)
	w.opened(http.MethodGet, join, "").says(200, "Beitreten")
	w.opened(http.MethodGet, join, "fr").says(200, "Beitreten")
	w.opened(http.MethodGet, join, "en").says(200, "You sign in as")
	w.opened(http.MethodPost, join, "fr", "full_name", "Bob", "password", secret).says(200, "Willkommen")
	w.opened(http.MethodGet, join, "de").says(400, "Dieser Link ist ungültig")
}

// A page that is opened from a link in a mail is in the language of the account, as the mail is.
func TestLanguageOfTheAccount(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(d *accountpages.Deps) { d.Client = true })
	ann := w.Person("Ann", actor.Member)
	ann.Do(http.MethodPatch, "/settings", params{"new_password": secret}).OK()
	ann.Do(http.MethodPatch, "/settings/display", params{"default_language": `"de"`}).OK()
	w.opened(http.MethodPost, "/reset/", "en", "email", ann.RealEmail).says(200, "Look into your mail")
	letter := w.Letter()
	if letter.Language != "de" || letter.Subject != "Passwort für Plant zurücksetzen" || letter.To != ann.RealEmail {
		t.Errorf("%+v", letter)
	}
	w.opened(http.MethodGet, path(letter.Link), "en").says(200, "Neues Passwort wählen")
	w.opened(http.MethodPost, path(letter.Link), "en", "password", "x").says(400, "Das neue Passwort ist zu leicht zu erraten.")

	ann.Do(http.MethodPatch, "/settings", params{"email": "new@corp.example"}).OK()
	letter = w.Letter()
	if letter.Language != "de" || !strings.Contains(letter.Before[0], ann.RealEmail) {
		t.Errorf("%+v", letter)
	}
	w.opened(http.MethodGet, path(letter.Link), "en").says(200, "Von jetzt an meldest du dich als new@corp.example an.")
	w.opened(http.MethodPost, path(letter.Link), "en").says(200, "Weiter zu Plant")
	if letter = w.Letter(); letter.Language != "de" || !strings.Contains(letter.Before[0], "ist jetzt new@corp.example") {
		t.Errorf("%+v", letter)
	}
}
