package isolation_test

import (
	"cmp"
	"fmt"
	"image/color"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/pkg/testbed"
	"chatserver.dev/services/servicetest"
)

// visit requests a page at the host of an organization, as an account or without one.
func (w *world) visit(host string, as servicetest.Account, method, target, form string) *httptest.ResponseRecorder {
	w.T.Helper()
	r := httptest.NewRequestWithContext(w.T.Context(), method, "/", strings.NewReader(form))
	u, err := url.Parse(target)
	if err != nil {
		w.T.Fatal(err)
	}
	r.URL, r.RequestURI, r.Host = u, target, host
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	if as.RealEmail != "" {
		r.SetBasicAuth(as.RealEmail, as.Key)
	}
	answer := httptest.NewRecorder()
	w.Pages.ServeHTTP(answer, r)
	return answer
}

// hosts returns the hosts of the first and the second organization.
func (w *world) hosts() (own, theirs string) {
	return servicetest.Host, w.rival.Subdomain + "." + servicetest.Host
}

// Pages and files of an organization, whose addresses people share, can't be read by others: not by people of another
// organization at either host, and not by deactivated accounts or without an account. A link in a mail works only at
// the host of its organization.
func TestPagesAreSeparate(t *testing.T) {
	testbed.Slow(t)
	t.Parallel()
	w := newWorld(t)
	own, theirs := w.hosts()
	guest, gone := w.Person("Gus", actor.Guest), w.Person("Gil", actor.Member)
	w.own.Do(http.MethodDelete, "/users/"+number(gone.ID), nil).OK()
	w.victim.PostFile("/users/me/avatar", nil, "a.png", servicetest.PNG(t, 600, 600, color.White)).OK()
	w.victim.Do(http.MethodPost, "/export/realm", nil).OK()
	if err := w.Exports.Work(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.Letters() // about the past
	temporary := struct{ URL string }{}
	w.victim.Do(http.MethodGet, "/user_uploads/"+w.file, nil).OK().Decode(&temporary)
	linked := func() string {
		t.Helper()
		u, err := url.Parse(w.Letter().Link)
		if err != nil {
			t.Fatal(err)
		}
		return u.Path
	}
	w.victim.Do(http.MethodPost, "/invites", params{"invitee_emails": "new@corp.example", "stream_ids": []int64{w.stream}}).OK()
	join := linked()
	if a := w.visit(theirs, servicetest.Account{}, http.MethodPost, "/reset/", "email="+url.QueryEscape(w.victim.RealEmail)); a.Code != http.StatusOK {
		t.Fatalf("%d %s", a.Code, a.Body)
	}
	reset := linked()
	made := struct {
		Link string `json:"invite_link"`
	}{}
	w.victim.Do(http.MethodPost, "/invites/multiuse", params{"stream_ids": []int64{w.stream}}).OK().Decode(&made)
	anybody, err := url.Parse(made.Link)
	if err != nil {
		t.Fatal(err)
	}
	archive := fmt.Sprintf("/exports/%d.tar.gz", storetest.Values[int64](w.db, "select max(export_id) from realm_exports where org_id = $1", w.rival.ID)[0])
	file := "/user_uploads/" + w.file

	// The organization's own accounts can read all of it.
	for target, as := range map[string]servicetest.Account{archive: w.victim, file: w.victim, temporary.URL: {}, join: {}, reset: {}, anybody.Path: {}} {
		if a := w.visit(theirs, as, http.MethodGet, target, ""); a.Code != http.StatusOK {
			t.Fatalf("%s: %d %s", target, a.Code, a.Body)
		}
	}
	before := w.contents(w.rival)
	form := url.Values{"full_name": {"Eve"}, "password": {"correct horse battery"}, "email": {"eve@corp.example"}}.Encode()
	for _, c := range []struct {
		what, host string
		as         servicetest.Account
		targets    []string
	}{
		{"own host", own, w.own, []string{archive, file, temporary.URL, join, reset, anybody.Path}},
		{"their host", theirs, w.own, []string{archive, file}},
		{"own host, a guest", own, guest, []string{archive, file}},
		{"their host, a guest", theirs, guest, []string{archive, file}},
		{"own host, who has left", own, gone, []string{archive, file}},
		{"own host, nobody", own, servicetest.Account{}, []string{archive, file, temporary.URL, join, reset, anybody.Path}},
		{"their host, nobody", theirs, servicetest.Account{}, []string{archive, file}},
		{"a host that isn't there", "nowhere." + servicetest.Host, w.victim, []string{archive, file, temporary.URL, join, reset, anybody.Path}},
	} {
		for _, target := range c.targets {
			for _, method := range []string{http.MethodGet, http.MethodPost} {
				a := w.visit(c.host, c.as, method, target, form)
				text := strings.ReplaceAll(a.Body.String(), target, "?")
				if a.Code < 400 || a.Code >= 500 || strings.Contains(strings.ToLower(text), secret) || a.Header().Get("Set-Cookie") != "" {
					t.Errorf("%s: %s %s: %d %v %s", c.what, method, target, a.Code, a.Header(), text)
				}
			}
		}
	}
	// The answer is the same as for a page or file that doesn't exist.
	for at, nobodys := range map[string]string{file: "/user_uploads/987654321/ab/nothing/nowhere.png", archive: "/exports/987654321.tar.gz", join: "/join/" + strings.Repeat("A", 26)} {
		for _, as := range []servicetest.Account{w.own, guest, gone, {}} {
			got, want := w.visit(own, as, http.MethodGet, at, ""), w.visit(own, as, http.MethodGet, nobodys, "")
			if got.Code != want.Code || strings.ReplaceAll(got.Body.String(), at, "?") != strings.ReplaceAll(want.Body.String(), nobodys, "?") {
				t.Errorf("%s as %q: %d %s, want %d %s", at, cmp.Or(as.FullName, "nobody"), got.Code, got.Body, want.Code, want.Body)
			}
		}
	}
	if diff := gocmp.Diff(before, w.contents(w.rival)); diff != "" {
		t.Errorf("another organization's rows changed:\n%s", diff)
	}
}
