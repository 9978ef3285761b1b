package endpoint

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/permit"
)

// Authenticator identifies callers by their credentials. The host is that of the request, with the port if the client
// sent one. It determines the organization. The methods that return an actor fail with [fault.ErrInvalidKey],
// [fault.ErrOrgDeactivated], [fault.ErrUserDeactivated] or [fault.ErrWrongSubdomain], checked in this order
// (rest-api.md, section 1.4, rows 9 to 13).
type Authenticator interface {
	// Authenticate returns the account with this real email address and API key. It ignores letter case
	// and white space around the address.
	Authenticate(ctx context.Context, host, email, key string) (actor.Actor, error)
	// AuthenticateKey returns the account with this API key.
	AuthenticateKey(ctx context.Context, host, key string) (actor.Actor, error)
	// Secure reports whether browsers reach the server by TLS, which determines the name of the session cookie.
	Secure() bool
}

// The faults of HTTP Basic before the account is looked up (rest-api.md, section 1.4, rows 4 to 8).
var (
	errNotLoggedIn  = fault.New(fault.Unauthenticated, fault.CodeUnauthorized, "Not logged in: API authentication or user session required")
	errBadHeader    = fault.New(fault.Unauthenticated, fault.CodeUnauthorized, "Invalid authorization header for basic auth")
	errNotBasic     = fault.Plain("This endpoint requires HTTP basic authentication.")
	errMalformedKey = fault.New(fault.Unauthenticated, fault.CodeUnauthorized, "Malformed API key")
)

// The faults of credentials in the form for the parameter api_key (rest-api.md, section 1.5).
var (
	errKeyMalformed = fault.New(fault.Unauthenticated, fault.CodeInvalidAPIKey, "Malformed API key")
	errKeyInvalid   = fault.New(fault.Unauthenticated, fault.CodeInvalidAPIKey, "Invalid API key")
	errKeyOrg       = fault.Bad(fault.ErrOrgDeactivated.Msg)
	errKeyUser      = fault.Bad(fault.ErrUserDeactivated.Msg)
	errKeySubdomain = fault.Bad(fault.ErrWrongSubdomain.Msg)
	errKeyHook      = fault.Bad(permit.ErrHook.Msg)
	errKeyNotHook   = fault.New(fault.Unauthenticated, fault.CodeInvalidAPIKey, permit.ErrNotHook.Msg)
)

// authenticate returns the caller: a webhook's by the parameter api_key or HTTP Basic, others by HTTP Basic or a browser's session.
func (c *call) authenticate(ctx context.Context) (actor.Actor, error) {
	auth, who := c.router.cfg.Authenticator, c.endpoint.about.Who
	if !c.endpoint.ByKey() {
		return byHeader(ctx, auth, who, c.r)
	}
	sent := c.form.texts[c.endpoint.schema.slots[keyParam]]
	switch {
	case !sent.given && c.hasHeader():
		return byHeader(ctx, auth, who, c.r)
	case !sent.given:
		return actor.Actor{}, fault.Missing(keyParam)
	case sent.broken:
		return actor.Actor{}, errKeyMalformed
	}
	return byKey(ctx, auth, who, c.r.Host, sent.raw)
}

// hasHeader reports whether the request has credentials in a header.
func (c *call) hasHeader() bool { return c.r.Header.Get("Authorization") != "" }

// Forgetter is an [Authenticator] that caches callers for some time.
type Forgetter interface {
	// Forget removes a caller from the cache: the next authentication with its key finds its current state.
	Forget(caller actor.Actor)
}

// permit returns the caller if they may call. Whoever may not is authenticated once more without the cache, since a role may
// just have changed, and clients are notified of that before caches are.
func (c *call) permit(ctx context.Context, who actor.Actor) (actor.Actor, error) {
	err := c.endpoint.about.Who.Check(who)
	cache, ok := c.router.cfg.Authenticator.(Forgetter)
	if err == nil || !ok {
		return who, err
	}
	cache.Forget(who)
	if who, err = c.authenticate(ctx); err != nil {
		return who, err
	}
	return who, c.endpoint.about.Who.Check(who)
}

// Refresher is an [Authenticator] that caches callers for some time.
type Refresher interface {
	// Refresh removes from the cache what has changed since then. It doesn't wait for longer than ctx, and may fail to notice a
	// change, which then takes effect as late as one by another process.
	Refresh(ctx context.Context, since time.Time)
}

// refresh makes what the call has changed take effect before its answer: whoever has it may rely on it, such as an administrator
// who forbids something, or somebody who has just added an alert word.
func (c *call) refresh(ctx context.Context) {
	if cache, ok := c.router.cfg.Authenticator.(Refresher); ok && c.endpoint.about.ChangesCallers {
		cache.Refresh(ctx, c.began)
	}
}

// Follower is an [Authenticator] that can check quickly whether a caller's authentication is still valid.
type Follower interface {
	// Follow returns a function that reports, without I/O, whether authenticating again with the same key and host would
	// return the same caller; nil: it is unknown. key is the one that the caller was authenticated with.
	Follow(caller actor.Actor, key string) (same func() bool)
}

// follow returns a function that reports whether a request with the same header would have the same caller; nil: it is
// unknown.
func (c *call) follow() (same func() bool) {
	f, ok := c.router.cfg.Authenticator.(Follower)
	if !ok || c.endpoint.ByKey() {
		return nil
	}
	key := ""
	if header := c.r.Header.Get("Authorization"); header != "" {
		_, key, _ = credentials(header) // it was authenticated
	} else if cookie, err := c.r.Cookie(sessionCookie(c.router.cfg.Authenticator.Secure())); err == nil {
		key = cookie.Value
	}
	caller := c.who
	caller.Client = ""
	return f.Follow(caller, key)
}

// byHeader returns the caller with the credentials in a header of HTTP Basic, or else with a browser's session. It also
// returns the caller with an error if that is an incoming webhook bot that may not call.
func byHeader(ctx context.Context, auth Authenticator, who permit.Who, r *http.Request) (actor.Actor, error) {
	header := r.Header.Get("Authorization")
	if header == "" {
		return bySession(ctx, auth, who, r)
	}
	email, key, err := credentials(header)
	if err != nil {
		return actor.Actor{}, err
	}
	caller, err := auth.Authenticate(ctx, r.Host, email, key)
	if err != nil {
		return actor.Actor{}, fmt.Errorf("authenticate: %w", err)
	}
	return caller, who.CheckHook(caller)
}

// byKey is byHeader for the parameter api_key, whose faults have other codes.
func byKey(ctx context.Context, auth Authenticator, who permit.Who, host, sent string) (actor.Actor, error) {
	key := strings.TrimSpace(sent)
	if !wellFormed(key) {
		return actor.Actor{}, errKeyMalformed
	}
	caller, err := auth.AuthenticateKey(ctx, host, key)
	if err == nil {
		err = who.CheckHook(caller)
	}
	for _, f := range []struct{ basic, key *fault.Fault }{
		{fault.ErrInvalidKey, errKeyInvalid},
		{fault.ErrOrgDeactivated, errKeyOrg},
		{fault.ErrUserDeactivated, errKeyUser},
		{fault.ErrWrongSubdomain, errKeySubdomain},
		{permit.ErrHook, errKeyHook},
		{permit.ErrNotHook, errKeyNotHook},
	} {
		if errors.Is(err, f.basic) {
			return caller, f.key
		}
	}
	return caller, err
}

// credentials parses the header of HTTP Basic.
func credentials(header string) (email, key string, err error) {
	words := strings.Fields(header)
	if len(words) != 2 {
		return "", "", errBadHeader
	}
	if !strings.EqualFold(words[0], "basic") {
		return "", "", errNotBasic
	}
	decoded, err := base64.StdEncoding.DecodeString(words[1])
	if err != nil || !utf8.Valid(decoded) || strings.Count(string(decoded), ":") != 1 {
		return "", "", errBadHeader
	}
	email, key, _ = strings.Cut(string(decoded), ":")
	if key = strings.TrimSpace(key); !wellFormed(key) {
		return "", "", errMalformedKey
	}
	return strings.TrimSpace(email), key, nil
}

// wellFormed reports whether key looks like an API key (rest-api.md, section 1.4, row 8).
func wellFormed(key string) bool {
	if len(key) != 32 {
		return false
	}
	for i := range len(key) {
		switch b := key[i]; {
		case '0' <= b && b <= '9', 'a' <= b && b <= 'z', 'A' <= b && b <= 'Z':
		default:
			return false
		}
	}
	return true
}
