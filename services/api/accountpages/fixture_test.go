package accountpages_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"chatserver.dev/services/api/accountpages"
	"chatserver.dev/services/servicetest"
)

type params = servicetest.Params

const (
	secret = "correct horse battery"
	better = "better horse battery!"
)

type world struct {
	*servicetest.World
	t     *testing.T
	pages *http.ServeMux
}

// newWorld returns a server's pages without a web client, unless change changes that.
func newWorld(t *testing.T, change ...func(*accountpages.Deps)) *world {
	t.Helper()
	return pagesOf(t, servicetest.New(t), change...)
}

func pagesOf(t *testing.T, server *servicetest.World, change ...func(*accountpages.Deps)) *world {
	t.Helper()
	w := &world{World: server, t: t, pages: http.NewServeMux()}
	deps := accountpages.Deps{
		Orgs: w.Orgs, Logins: w.Logins, Accounts: w.Accounts, Invites: w.Invites, NewOrgs: w.NewOrgs, Missed: w.Missed, Now: time.Now, Logger: w.Logger,
	}
	for _, c := range change {
		c(&deps)
	}
	for route, page := range accountpages.Pages(deps) {
		w.pages.Handle(route, page)
	}
	return w
}

// shown is a page as a browser shows it.
type shown struct {
	t      *testing.T
	status int
	header http.Header
	body   string
}

func (w *world) request(method, address, form string, more ...string) shown {
	w.t.Helper()
	r := httptest.NewRequestWithContext(w.t.Context(), method, address, strings.NewReader(form))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	for i := 0; i < len(more); i += 2 {
		r.Header.Set(more[i], more[i+1])
	}
	if r.Host == "example.com" { // the default of httptest for paths
		r.Host = servicetest.Host
	}
	recorder := httptest.NewRecorder()
	w.pages.ServeHTTP(recorder, r)
	return shown{w.t, recorder.Code, recorder.Header(), recorder.Body.String()}
}

func (w *world) open(address string) shown {
	w.t.Helper()
	return w.request(http.MethodGet, address, "")
}

func (w *world) submit(address string, fields ...string) shown {
	w.t.Helper()
	values := url.Values{}
	for i := 0; i < len(fields); i += 2 {
		values.Set(fields[i], fields[i+1])
	}
	return w.request(http.MethodPost, address, values.Encode())
}

// says fails the test unless the page has the status and contains the text.
func (s shown) says(status int, words string) {
	s.t.Helper()
	if s.status != status || !strings.Contains(s.body, words) {
		s.t.Errorf("status %d, want %d with %q:\n%s", s.status, status, words, s.body)
	}
}

// signsIn reports the result of signing in with a password.
func (w *world) signsIn(email, password string) servicetest.Answer {
	return w.Nobody().Do(http.MethodPost, "/fetch_api_key", params{"username": email, "password": password})
}
