package openid

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"golang.org/x/oauth2"
)

const (
	// flowTime is the time that a user has for signing in at the provider.
	flowTime = 10 * time.Minute
	// maxNext is the maximum length of the path to go to afterwards, in bytes.
	maxNext = 1000
)

// flow is the state of a login by a provider, which a cookie of the browser stores.
type flow struct {
	Slot     string    `json:"slot"`
	State    string    `json:"state"`    // the random part
	Nonce    string    `json:"nonce"`    // that the ID token must contain
	Verifier string    `json:"verifier"` // that the exchange of the code requires
	SignUp   bool      `json:"sign_up"`
	Next     string    `json:"next"` // path to go to when signed in; empty: none
	Ends     time.Time `json:"ends"`
}

func newFlow(slot, next string, signUp bool, now time.Time) flow {
	return flow{
		Slot: slot, State: rand.Text(), Nonce: rand.Text(), Verifier: oauth2.GenerateVerifier(), SignUp: signUp, Next: path(next),
		Ends: now.Add(flowTime),
	}
}

// state returns the state parameter, which the provider sends back. It includes the subdomain that the root domain
// redirects to.
func (f flow) state(subdomain string) string { return subdomain + "." + f.State }

// subdomain returns the part of a state that names an organization.
func subdomain(state string) string {
	name, _, _ := strings.Cut(state, ".")
	return name
}

// is reports whether a state belongs to the flow, and the flow to an organization and a provider and hasn't
// expired.
func (f flow) is(state, of, slot string, now time.Time) bool {
	return subtle.ConstantTimeCompare([]byte(state), []byte(f.state(of))) == 1 && f.Slot == slot && now.Before(f.Ends)
}

// path returns next if it is a path of this host that a browser may be redirected to, otherwise "".
func path(next string) string {
	plain := func(r rune) bool { return r > ' ' && r < 0x7f && r != '\\' }
	if len(next) > maxNext || !strings.HasPrefix(next, "/") || strings.HasPrefix(next, "//") ||
		strings.ContainsFunc(next, func(r rune) bool { return !plain(r) }) {
		return ""
	}
	return next
}

// cookieName is the name of the flow's cookie. With TLS, it has a prefix that makes browsers accept it only from
// this host.
func cookieName(secure bool) string {
	if secure {
		return "__Host-signin"
	}
	return "signin"
}

// keep sets the flow's cookie. Browsers also send it with navigation from other sites, such as the provider's
// redirect.
func (f flow) keep(w http.ResponseWriter, secure bool) error {
	text, err := json.Marshal(f)
	if err != nil {
		return err
	}
	setCookie(w, base64.RawURLEncoding.EncodeToString(text), int(flowTime.Seconds()), secure)
	return nil
}

// forget deletes the flow's cookie.
func forget(w http.ResponseWriter, secure bool) { setCookie(w, "", -1, secure) }

func setCookie(w http.ResponseWriter, value string, seconds int, secure bool) {
	http.SetCookie(w, &http.Cookie{ //nolint:gosec // without TLS a secure cookie would never come back
		Name: cookieName(secure), Value: value, Path: "/", MaxAge: seconds, Secure: secure, HttpOnly: true, SameSite: http.SameSiteLaxMode,
	})
}

// kept returns the flow in a request's cookie; ok is false if there is none.
func kept(r *http.Request, secure bool) (f flow, ok bool) {
	cookie, err := r.Cookie(cookieName(secure))
	if err != nil {
		return flow{}, false
	}
	text, err := base64.RawURLEncoding.DecodeString(cookie.Value)
	ok = err == nil && json.Unmarshal(text, &f) == nil && f.State != "" && f.Nonce != ""
	return f, ok
}
