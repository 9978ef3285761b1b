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
	// journeyTime is how long somebody may take at the provider.
	journeyTime = 10 * time.Minute
	// longestNext is how many bytes a path to go to afterwards has at most.
	longestNext = 1000
)

// journey is a browser's way to a provider and back, as its cookie has it.
type journey struct {
	Slot     string    `json:"slot"`
	State    string    `json:"state"`    // the random part
	Nonce    string    `json:"nonce"`    // that the provider puts into the token
	Verifier string    `json:"verifier"` // without which nobody else can use the code
	SignUp   bool      `json:"sign_up"`
	Next     string    `json:"next"` // path to go to when signed in; empty: none
	Ends     time.Time `json:"ends"`
}

func newJourney(slot, next string, signUp bool, now time.Time) journey {
	return journey{
		Slot: slot, State: rand.Text(), Nonce: rand.Text(), Verifier: oauth2.GenerateVerifier(), SignUp: signUp, Next: path(next),
		Ends: now.Add(journeyTime),
	}
}

// state is what the provider sends back: also where the browser goes from the root domain.
func (j journey) state(subdomain string) string { return subdomain + "." + j.State }

// subdomain returns the part of a state that names an organization.
func subdomain(state string) string {
	name, _, _ := strings.Cut(state, ".")
	return name
}

// is reports whether a state is that of the journey, from an organization to a provider and back in time.
func (j journey) is(state, of, slot string, now time.Time) bool {
	return subtle.ConstantTimeCompare([]byte(state), []byte(j.state(of))) == 1 && j.Slot == slot && now.Before(j.Ends)
}

// path returns a path of this host that a browser may be sent to, or nothing if next isn't one.
func path(next string) string {
	plain := func(r rune) bool { return r > ' ' && r < 0x7f && r != '\\' }
	if len(next) > longestNext || !strings.HasPrefix(next, "/") || strings.HasPrefix(next, "//") ||
		strings.ContainsFunc(next, func(r rune) bool { return !plain(r) }) {
		return ""
	}
	return next
}

// cookieName is the name of the journey's cookie. With TLS, browsers take one with this prefix from this host alone.
func cookieName(secure bool) string {
	if secure {
		return "__Host-signin"
	}
	return "signin"
}

// keep has the browser send the journey with its next requests. It does so when another site leads it here, as the provider does.
func (j journey) keep(w http.ResponseWriter, secure bool) error {
	text, err := json.Marshal(j)
	if err != nil {
		return err
	}
	setCookie(w, base64.RawURLEncoding.EncodeToString(text), int(journeyTime.Seconds()), secure)
	return nil
}

// forget has the browser forget its journey.
func forget(w http.ResponseWriter, secure bool) { setCookie(w, "", -1, secure) }

func setCookie(w http.ResponseWriter, value string, seconds int, secure bool) {
	http.SetCookie(w, &http.Cookie{ //nolint:gosec // without TLS a secure cookie would never come back
		Name: cookieName(secure), Value: value, Path: "/", MaxAge: seconds, Secure: secure, HttpOnly: true, SameSite: http.SameSiteLaxMode,
	})
}

// kept returns the journey that a browser is on; ok is false if it is on none.
func kept(r *http.Request, secure bool) (j journey, ok bool) {
	cookie, err := r.Cookie(cookieName(secure))
	if err != nil {
		return journey{}, false
	}
	text, err := base64.RawURLEncoding.DecodeString(cookie.Value)
	return j, err == nil && json.Unmarshal(text, &j) == nil && j.State != "" && j.Nonce != ""
}
