package signin_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/services/servicetest"
)

// browser makes calls with a cookie instead of a key.
type browser struct {
	t      *testing.T
	world  *servicetest.World
	cookie *http.Cookie
}

func (b browser) do(method, path string) (status int, body string) {
	b.t.Helper()
	w := b.call(method, path)
	return w.Code, w.Body.String()
}

func (b browser) call(method, path string) *httptest.ResponseRecorder {
	b.t.Helper()
	r := httptest.NewRequestWithContext(b.t.Context(), method, "/api/v1"+path, nil)
	r.Host = servicetest.Host
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	r.AddCookie(b.cookie)
	w := httptest.NewRecorder()
	b.world.Handler.ServeHTTP(w, r)
	return w
}

// start signs a browser in.
func start(t *testing.T, w *servicetest.World, person servicetest.Account) browser {
	t.Helper()
	nobody := person
	nobody.RealEmail, nobody.Key = "", ""
	answer := nobody.Do(http.MethodPost, "/sessions", params{"username": person.RealEmail, "password": secret}).OK()
	cookie, err := http.ParseSetCookie(answer.Header.Get("Set-Cookie"))
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(answer.Body, cookie.Value) {
		t.Error("the page gets the key")
	}
	return browser{t, w, cookie}
}

func TestStartSession(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	ann := w.Person("Ann", actor.Member)
	ann.Do(http.MethodPatch, "/settings", params{"new_password": secret}).OK()
	wrong := ann.Do(http.MethodPost, "/sessions", params{"username": ann.RealEmail, "password": "wrong"})
	if wrong.Fails(403, "", "Your username or password is incorrect."); wrong.Header.Get("Set-Cookie") != "" {
		t.Error("a cookie for a wrong password")
	}
	for name, value := range map[string]string{"Sec-Fetch-Site": "same-site", "Origin": "https://elsewhere.example"} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/api/v1/sessions?password="+url.QueryEscape(secret)+"&username="+ann.RealEmail, nil)
		r.Host = servicetest.Host
		r.Header.Set(name, value)
		answer := httptest.NewRecorder()
		if w.Handler.ServeHTTP(answer, r); answer.Code != http.StatusForbidden || answer.Header().Get("Set-Cookie") != "" {
			t.Errorf("from a page with %s %s: %d %s", name, value, answer.Code, answer.Body)
		}
	}
	b := start(t, w, ann)
	c := b.cookie
	if c.Name != "__Host-session" || !c.HttpOnly || !c.Secure || c.SameSite != http.SameSiteStrictMode || c.Path != "/" || c.Domain != "" || time.Until(c.Expires) > 31*24*time.Hour {
		t.Errorf("%+v", c)
	}
	for _, call := range []string{"GET /users/me", "POST /register", "GET /users"} {
		method, path, _ := strings.Cut(call, " ")
		if status, body := b.do(method, path); status != 200 {
			t.Errorf("%s: %d %s", call, status, body)
		}
	}
}
