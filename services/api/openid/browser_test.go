package openid_test

import (
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"chatserver.dev/pkg/account"
	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/provider"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/services/api/openid"
	"chatserver.dev/services/servicetest"
)

// world is a server with two organizations, of which the second is open to everyone, and a provider.
type world struct {
	*servicetest.World
	t     *testing.T
	sql   *storetest.Session
	idp   *idp
	acme  org.Org
	pages *http.ServeMux
	later atomic.Int64 // how far the clock is ahead
}

func newWorld(t *testing.T, change ...func(*provider.Provider)) *world {
	t.Helper()
	w := &world{World: servicetest.New(t), t: t, idp: newIDP(t), pages: http.NewServeMux()}
	w.sql = storetest.Connect(t, w.DatabaseURL)
	about := provider.Provider{
		Slot: "idp_1", Issuer: w.idp.server.URL, ClientID: "chat", ClientSecret: "hush", DisplayName: "Example", Scopes: []string{"email", "profile"},
		GroupsClaim: "groups", Roles: map[string]actor.Role{"bosses": actor.Administrator, "outside": actor.Guest},
	}
	for _, c := range change {
		c(&about)
	}
	config := w.Orgs.Config()
	second := about // the same provider under another name
	second.Slot = "idp_3"
	config.Methods = []org.Method{{Name: about.Slot, Subdomains: about.Organizations}, {Name: second.Slot, Subdomains: about.Organizations}}
	orgs := org.New(w.DB, config, time.Now)
	open := org.Defaults()
	open.InviteRequired = false
	acme, err := orgs.Create(t.Context(), org.Draft{Subdomain: "acme", Name: "Acme", Settings: open}, nil)
	if err != nil {
		t.Fatal(err)
	}
	w.acme = acme
	pages := openid.New(openid.Deps{
		Providers: []provider.Provider{about, second}, Orgs: orgs, Logins: w.Logins, Logger: w.Logger,
		Accounts: account.New(account.Deps{DB: w.DB, Orgs: orgs, Users: w.Users, Subscriptions: w.Subscriptions, Logins: w.Logins, Messages: w.Messages, Now: time.Now}),
		Now:      func() time.Time { return time.Now().Add(time.Duration(w.later.Load())) },
	})
	for pattern, page := range pages.Routes() {
		w.pages.Handle(pattern, page)
	}
	return w
}

// browser stores cookies for each host separately.
type browser struct {
	w       *world
	cookies map[string]map[string]string
}

func (w *world) browser() *browser { return &browser{w, map[string]map[string]string{}} }

// get requests a page.
func (b *browser) get(address string) *httptest.ResponseRecorder {
	b.w.t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		b.w.t.Fatal(err)
	}
	r := httptest.NewRequestWithContext(b.w.t.Context(), http.MethodGet, u.RequestURI(), nil)
	r.Host = u.Host
	r.Header.Set("User-Agent", "Mozilla/5.0")
	for name, value := range b.cookies[u.Host] {
		r.AddCookie(&http.Cookie{Name: name, Value: value})
	}
	answer := httptest.NewRecorder()
	b.w.pages.ServeHTTP(answer, r)
	for _, c := range answer.Result().Cookies() {
		if !c.Secure || !c.HttpOnly || c.Path != "/" || c.Domain != "" {
			b.w.t.Errorf("a cookie for others: %v", c)
		}
		if b.cookies[u.Host] == nil {
			b.cookies[u.Host] = map[string]string{}
		}
		if b.cookies[u.Host][c.Name] = c.Value; c.MaxAge < 0 {
			delete(b.cookies[u.Host], c.Name)
		}
	}
	for name, want := range map[string]string{"Cache-Control": "no-store", "Referrer-Policy": "no-referrer", "X-Content-Type-Options": "nosniff"} {
		if got := answer.Header().Get(name); got != want {
			b.w.t.Errorf("%s: %q", name, got)
		}
	}
	if !strings.HasPrefix(answer.Header().Get("Content-Security-Policy"), "default-src 'none'") {
		b.w.t.Error("a page without a policy")
	}
	return answer
}

// leave begins to sign in on a page and returns the provider's address to which it redirects.
func (b *browser) leave(page string) string {
	b.w.t.Helper()
	answer := b.get(page)
	if answer.Code != http.StatusFound {
		b.w.t.Fatalf("%s: %d %s", page, answer.Code, answer.Body)
	}
	return answer.Header().Get("Location")
}

// back follows the redirects from the provider.
func (b *browser) back(address string) *httptest.ResponseRecorder {
	b.w.t.Helper()
	answer := b.get(address)
	if to := answer.Header().Get("Location"); answer.Code == http.StatusFound {
		answer = b.get(to)
	}
	return answer
}

const (
	atAcme  = "https://acme." + servicetest.Host
	signIn  = atAcme + "/accounts/login/social/idp_1"
	signUp  = atAcme + "/accounts/register/social/idp_1"
	session = "__Host-session"
)

// ann returns the claims of a person with a verified address, with some other claims.
func ann(more map[string]any) grant {
	claims := map[string]any{"email": "ann@corp.example", "email_verified": true, "name": "Ann Smith", "groups": []string{}}
	maps.Copy(claims, more)
	return grant{token: claims}
}

// visit follows the redirects from a page to the provider and back.
func (b *browser) visit(page string, g grant) *httptest.ResponseRecorder {
	b.w.t.Helper()
	return b.back(b.w.idp.allow(b.leave(page), g))
}

// in returns the address of the account that the browser is signed in to at Acme; empty: it isn't.
func (b *browser) in() string {
	b.w.t.Helper()
	key := b.cookies["acme."+servicetest.Host][session]
	if key == "" {
		return ""
	}
	r := httptest.NewRequestWithContext(b.w.t.Context(), http.MethodGet, "/api/v1/users/me", nil)
	r.Host = "acme." + servicetest.Host
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	r.AddCookie(&http.Cookie{Name: session, Value: key})
	answer := httptest.NewRecorder()
	b.w.Handler.ServeHTTP(answer, r)
	_, email, _ := strings.Cut(answer.Body.String(), `"email":"`)
	email, _, _ = strings.Cut(email, `"`)
	return email
}

// fails reports an error unless a page has the status and the text, and the browser isn't signed in.
func (b *browser) fails(answer *httptest.ResponseRecorder, status int, text string) {
	b.w.t.Helper()
	if answer.Code != status || !strings.Contains(answer.Body.String(), text) || b.in() != "" {
		b.w.t.Errorf("%d, want %d %q; signed in as %q\n%s", answer.Code, status, text, b.in(), answer.Body)
	}
}
