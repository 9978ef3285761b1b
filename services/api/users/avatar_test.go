package users_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/testbed"
	"chatserver.dev/pkg/user"
	"chatserver.dev/services/api/users"
)

// avatars serves only the pages.
func (s *server) avatars() func(as *account, path string) *httptest.ResponseRecorder {
	s.t.Helper()
	config := org.Config{ExternalHost: "chat.example", ExternalScheme: "https"}
	clock := testbed.NewClock(start)
	handler := users.Avatar(s.users, user.NewAuthenticator(s.db, config, clock.Now, testbed.Logger(s.t)), testbed.Logger(s.t))
	mux := http.NewServeMux()
	mux.Handle(users.AvatarRoute, handler)
	mux.Handle(users.MediumAvatarRoute, handler)
	return func(as *account, path string) *httptest.ResponseRecorder {
		s.t.Helper()
		r := httptest.NewRequestWithContext(s.t.Context(), http.MethodGet, path, nil)
		r.Host = "acme.chat.example"
		if as != nil {
			r.SetBasicAuth(as.RealEmail, as.key)
		}
		w := httptest.NewRecorder()
		mux.ServeHTTP(w, r)
		return w
	}
}

// redirects checks that a response redirects to a picture.
func redirects(t *testing.T, path string, w *httptest.ResponseRecorder, to string) {
	t.Helper()
	if w.Code != http.StatusFound || w.Header().Get("Location") != to || w.Header().Get("Cache-Control") != "private, no-cache" {
		t.Errorf("%s: %d %v, want a redirect to %s", path, w.Code, w.Header(), to)
	}
}

// The picture is at the address that clients get.
func TestAvatar(t *testing.T) {
	t.Parallel()
	get := newServer(t, nothing).avatars()
	u := user.User{ID: 12, AvatarVersion: 3}
	for _, url := range []string{user.AvatarURL(org.Org{}, u), user.AvatarURLMedium(org.Org{}, u), "/avatar/12/medium"} {
		if w := get(nil, url); w.Code != http.StatusOK || w.Header().Get("Content-Type") != "image/png" {
			t.Errorf("%s: %d, %v", url, w.Code, w.Header())
		}
	}
	for _, path := range []string{"/avatar/x", "/avatar/0", "/avatar/x/medium"} {
		if w := get(nil, path); w.Code != http.StatusNotFound {
			t.Errorf("%s: %d", path, w.Code)
		}
	}
}

// For a signed-in caller, the address redirects to the picture that an account has chosen, also by id.
func TestAvatarByNumber(t *testing.T) {
	t.Parallel()
	s := newServer(t, nothing)
	ada, bob := s.person(s.acme, "ada", actor.Owner), s.person(s.acme, "bob", actor.Guest)
	eve := s.person(s.other, "eve", actor.Owner)
	get := s.avatars()
	path := "/avatar/" + ada.ID.String()
	drawn := func(as *account, path string) {
		t.Helper()
		if w := get(as, path); w.Code != http.StatusOK || w.Header().Get("Content-Type") != "image/png" {
			t.Errorf("%s: %d %v", path, w.Code, w.Header())
		}
	}
	drawn(&bob, path)
	drawn(&bob, path+"/medium")
	err := s.db.Write(t.Context(), s.acme.ID, func(tx *store.Tx) (err error) {
		ada.User, err = user.SetAvatar(t.Context(), tx, s.acme, ada.User, "1/ab/cd")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	redirects(t, path, get(&bob, path), user.AvatarURL(s.acme, ada.User))
	redirects(t, path, get(&bob, path+"/medium?v=7"), user.AvatarURLMedium(s.acme, ada.User)+"&v=7")
	redirects(t, path, get(nil, path+"?api_key="+bob.key), user.AvatarURL(s.acme, ada.User))
	drawn(nil, path)
	drawn(&eve, path)
	drawn(nil, path+"?api_key="+strings.Repeat("x", 32))
	drawn(&bob, "/avatar/987654321")
}

func TestAvatarByAddress(t *testing.T) {
	t.Parallel()
	s := newServer(t, nothing)
	ada, bob := s.person(s.acme, "ada", actor.Owner), s.person(s.acme, "bob", actor.Guest)
	get := s.avatars()
	at := user.AvatarURL(s.acme, ada.User)
	for path, to := range map[string]string{
		"/avatar/ada@corp.example":             at,
		"/avatar/ADA@corp.example":             at,
		"/avatar/ada%40corp.example":           at,
		"/avatar/ada@corp.example/medium":      at + "&size=medium",
		"/avatar/ada@corp.example?s=500&x=%0a": at + "&s=500&x=%0A",
		"/avatar/ada@corp.example?size=medium": at + "&size=medium&size=medium",
	} {
		redirects(t, path, get(&bob, path), to)
	}
	path := "/avatar/ada@corp.example?api_key=" + bob.key + "&s=80"
	redirects(t, path, get(nil, path), at+"&s=80")
	bot := systemBot(s, s.acme)
	redirects(t, "the server's bot", get(&bob, "/avatar/"+bot.RealEmail), user.AvatarURL(s.acme, bot))
}

// A picture doesn't reveal which addresses have an account, except to callers who see the addresses anyway.
func TestAvatarHidesAddresses(t *testing.T) {
	t.Parallel()
	s := newServer(t, func(o *org.Settings) { o.EmailAddressVisibility = org.EmailsForAdmins })
	ada, bob := s.person(s.acme, "ada", actor.Owner), s.person(s.acme, "bob", actor.Member)
	eve := s.person(s.other, "eve", actor.Owner)
	hook := s.create(s.acme, "hook", actor.Member, actor.IncomingWebhook, ada.ID)
	get := s.avatars()

	// Without a login, all addresses have the same result.
	for _, path := range []string{"/avatar/ada@corp.example", "/avatar/nobody@corp.example", "/avatar/@", "/avatar/ada@corp.example/medium"} {
		w := get(nil, path)
		if w.Code != http.StatusUnauthorized || w.Header().Get("WWW-Authenticate") != `Basic realm="chatserver"` || w.Header().Get("Location") != "" ||
			!strings.Contains(w.Body.String(), "Not logged in") {
			t.Errorf("%s: %d %v %s", path, w.Code, w.Header(), w.Body)
		}
	}
	wrong := ada
	wrong.key = strings.Repeat("x", 32)
	for name, as := range map[string]account{"a wrong key": wrong, "another organization": eve, "a webhook's key": hook} {
		if w := get(&as, "/avatar/ada@corp.example"); w.Code != http.StatusUnauthorized {
			t.Errorf("%s: %d %s", name, w.Code, w.Body)
		}
	}
	for _, key := range []string{"", "short", wrong.key, eve.key, hook.key} {
		if w := get(nil, "/avatar/ada@corp.example?api_key="+key); w.Code/100 != 4 || w.Header().Get("Location") != "" {
			t.Errorf("api_key=%s: %d", key, w.Code)
		}
	}

	// A hidden address counts as unknown for every caller, and so does one of another organization.
	pictures := map[string]bool{}
	for _, path := range []string{"/avatar/ada@corp.example", "/avatar/nobody@corp.example", "/avatar/eve@corp.example", "/avatar/a'--@x", "/avatar/%00@x", "/avatar/%ff@x"} {
		w := get(&bob, path)
		if w.Code != http.StatusOK || w.Header().Get("Content-Type") != "image/png" || w.Header().Get("Cache-Control") != "private, no-cache" {
			t.Errorf("%s: %d %v %s", path, w.Code, w.Header(), w.Body)
		}
		pictures[w.Body.String()] = true
	}
	if len(pictures) != 6 {
		t.Errorf("%d different pictures", len(pictures))
	}
	display := user.DisplayEmail(s.acme, ada.User)
	redirects(t, display, get(&bob, "/avatar/"+display), user.AvatarURL(s.acme, ada.User))
}
