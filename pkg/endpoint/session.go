package endpoint

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/permit"
)

// sessionCookie returns the name of the cookie with a browser's key. With TLS, browsers accept a cookie with this prefix only from
// the host itself, so a page of another organization, at a neighbouring host, can't sign its visitors in here. Without TLS, nothing
// prevents that.
func sessionCookie(secure bool) string {
	if secure {
		return "__Host-session"
	}
	return "session"
}

// sessionChallenge is the header WWW-Authenticate of a 401 for a page's script. [challenge] would make the browser ask its
// user for a name and a password.
const sessionChallenge = `Session realm="chatserver"`

// ErrForeignPage reports that a page of another website or organization tried to use or start a browser's session
// (rest-api.md, section 1.2).
var ErrForeignPage = fault.New(fault.Forbidden, "CSRF_FAILED", "CSRF Error: the request comes from a page of another website").
	With("reason", "the request comes from a page of another website")

// accountHeader is a header with the number of the account that a page shows. All pages of a browser have one session, so a page may
// make a request after somebody has signed in to another account in another window.
const accountHeader = "X-Account-Id"

// errOtherAccount refuses a request that a page makes for an account when the session is another one's.
var errOtherAccount = fault.New(fault.Unauthenticated, "OTHER_ACCOUNT", "This browser is signed in to another account now")

// StartSession is [StartSession] for the caller's browser.
func (r Request) StartSession(key string, ends time.Time) {
	StartSession(r.call.w, key, ends, r.call.router.cfg.Authenticator.Secure())
}

// StartSession makes a browser send a key with each request until the time ends. The browser doesn't show the key to scripts, and
// sends it only to this host and, if secure, only by TLS. secure is the result of [Authenticator].Secure.
func StartSession(w http.ResponseWriter, key string, ends time.Time, secure bool) {
	http.SetCookie(w, &http.Cookie{ //nolint:gosec // without TLS, browsers don't return secure cookies
		Name: sessionCookie(secure), Value: key, Path: "/", Expires: ends, Secure: secure, HttpOnly: true, SameSite: http.SameSiteStrictMode,
	})
}

// EndSession makes the browser that made ctx's request forget the key of its session. It does nothing for programs, which
// authenticate by a header.
func EndSession(ctx context.Context) {
	if c, ok := ctx.Value(requestIDKey{}).(*call); ok && !c.hasHeader() {
		StartSession(c.w, "", time.Unix(1, 0), c.router.cfg.Authenticator.Secure())
	}
}

// CheckPage returns [ErrForeignPage] if a browser reports that a page of another host makes the request. Otherwise such a
// page could sign its visitors in with an account of its own choice.
func (r Request) CheckPage() error { return CheckPage(r.call.r) }

// bySession returns the caller with the session of a browser. Only pages of the same host may use it, whatever the method, and only
// for the account that they show.
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
	if account := r.Header.Get(accountHeader); account != "" && account != strconv.FormatInt(int64(caller.User), 10) {
		return actor.Actor{}, errOtherAccount
	}
	return caller, who.CheckHook(caller)
}

// foreign reports whether a request comes from a page of another host, according to the browser's Sec-Fetch-Site or, for
// older browsers, Origin, which they send with all requests that change data.
func foreign(r *http.Request) bool {
	if site := r.Header.Get("Sec-Fetch-Site"); site != "" {
		return site != "same-origin" && site != "none"
	}
	origin := r.Header.Get("Origin")
	page, err := url.Parse(origin)
	return origin != "" && (err != nil || page.Host != r.Host)
}

// crossSite reports whether a page of another website makes a request with credentials that a browser may have added by itself.
// Without TLS, and if they are old, browsers send only Origin: then pages of all other hosts count. Sessions are checked by
// bySession.
func crossSite(r *http.Request) bool {
	if site := r.Header.Get("Sec-Fetch-Site"); site != "" {
		return site == "cross-site"
	}
	return r.Header.Get("Authorization") != "" && foreign(r)
}

// ofClient reports whether the web client made the request: a script of a page of this host, without the header by which programs
// authenticate. Only the web client gets translated texts. For programs, texts are part of the interface.
func ofClient(r *http.Request) bool {
	return byScript(r) && !foreign(r) && r.Header.Get("Authorization") == ""
}

// byScript reports whether a page's script, or an element such as an image, made the request, according to the browser's
// Sec-Fetch-Mode or, since browsers omit that without TLS, the script's X-Requested-With.
func byScript(r *http.Request) bool {
	mode := r.Header.Get("Sec-Fetch-Mode")
	return mode != "" && mode != "navigate" || r.Header.Get("X-Requested-With") != ""
}
