package endpoint

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/permit"
)

// sessionCookie returns the name of the cookie that holds a browser's key. With TLS, browsers accept one with this prefix from this host
// alone, so a page of another organization, at a neighbouring host, can't sign its visitors in here. Without TLS, nothing prevents that.
func sessionCookie(secure bool) string {
	if secure {
		return "__Host-session"
	}
	return "session"
}

// sessionChallenge is what a 401 says to a page's script in place of [challenge], upon which a browser would ask its user
// for a name and a password.
const sessionChallenge = `Session realm="chatserver"`

// ErrForeignPage says that a page of another website or organization uses a browser's session, or starts one (rest-api.md,
// section 1.2).
var ErrForeignPage = fault.New(fault.Forbidden, "CSRF_FAILED", "CSRF Error: the request comes from a page of another website").
	With("reason", "the request comes from a page of another website")

// StartSession is [StartSession] for the caller's browser.
func (r Request) StartSession(key string, ends time.Time) {
	StartSession(r.call.w, key, ends, r.call.router.cfg.Authenticator.Secure())
}

// StartSession has a browser send a key with each request until it ends. The browser shows the key to no script, sends it to this
// host alone and, where secure, by TLS alone. Secure is what [Authenticator] reports.
func StartSession(w http.ResponseWriter, key string, ends time.Time, secure bool) {
	http.SetCookie(w, &http.Cookie{ //nolint:gosec // without TLS a secure cookie would never come back
		Name: sessionCookie(secure), Value: key, Path: "/", Expires: ends, Secure: secure, HttpOnly: true, SameSite: http.SameSiteStrictMode,
	})
}

// CheckPage fails with [ErrForeignPage] where a browser says that a page of another host makes the request. Otherwise such a
// page could sign its visitors in with an account of its own choice.
func (r Request) CheckPage() error { return CheckPage(r.call.r) }

// bySession returns the caller with the session of a browser. Only pages of the same host may use it, whatever the method.
func bySession(ctx context.Context, auth Authenticator, who permit.Who, r *http.Request) (actor.Actor, error) {
	cookie, err := r.Cookie(sessionCookie(auth.Secure()))
	switch {
	case err != nil:
		return actor.Actor{}, errNotLoggedIn
	case foreign(r):
		return actor.Actor{}, ErrForeignPage
	case !wellFormed(cookie.Value):
		return actor.Actor{}, errMalformedKey
	}
	caller, err := auth.AuthenticateKey(ctx, r.Host, cookie.Value)
	if err != nil {
		return actor.Actor{}, fmt.Errorf("authenticate: %w", err)
	}
	return caller, who.CheckHook(caller)
}

// foreign reports whether a browser says that a request comes from a page of another host. Older browsers say it by Origin,
// which they send with whatever changes something.
func foreign(r *http.Request) bool {
	if site := r.Header.Get("Sec-Fetch-Site"); site != "" {
		return site != "same-origin" && site != "none"
	}
	origin := r.Header.Get("Origin")
	page, err := url.Parse(origin)
	return origin != "" && (err != nil || page.Host != r.Host)
}

// ofClient reports whether the web client made the request: the script of a page of this host, without the header that programs sign in
// with. Texts are a part of the interface for programs, and for people there.
func ofClient(r *http.Request) bool {
	return byScript(r) && !foreign(r) && r.Header.Get("Authorization") == ""
}

// byScript reports whether a page's script made the request, as its browser says, or where that says nothing without TLS, the script.
func byScript(r *http.Request) bool {
	mode := r.Header.Get("Sec-Fetch-Mode")
	return mode != "" && mode != "navigate" || r.Header.Get("X-Requested-With") != ""
}
