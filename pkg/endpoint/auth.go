package endpoint

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/permit"
)

// Authenticator knows whose credentials are whose. Host is the request's, with its port where the
// client named one; it decides the organization. Both methods fail with [fault.ErrInvalidKey],
// [fault.ErrOrgDeactivated], [fault.ErrUserDeactivated] or [fault.ErrWrongSubdomain], in this order
// (rest-api.md, section 1.4, rows 9 to 13).
type Authenticator interface {
	// Authenticate returns the account whose real email address and API key these are. Letter case
	// and white space around the address don't count.
	Authenticate(ctx context.Context, host, email, key string) (actor.Actor, error)
	// AuthenticateKey returns the account whose API key this is.
	AuthenticateKey(ctx context.Context, host, key string) (actor.Actor, error)
}

// The rows of HTTP Basic that need no account (rest-api.md, section 1.4, rows 4 to 8).
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

// authenticate sets the caller by whichever way the endpoint takes.
func (c *call) authenticate(ctx context.Context) error {
	header := c.r.Header.Get("Authorization")
	if c.byKey(header) {
		return byKeyForm(c.authenticateKey(ctx))
	}
	email, key, err := credentials(header)
	if err != nil {
		return err
	}
	if c.who, err = c.router.auth.Authenticate(ctx, c.r.Host, email, key); err != nil {
		return fmt.Errorf("authenticate: %w", err)
	}
	return c.endpoint.about.Who.CheckHook(c.who)
}

// byKey reports whether the caller logs in by the parameter api_key.
func (c *call) byKey(header string) bool {
	login := c.endpoint.about.Login
	return login == ByKey || login == ByBasicOrKey && header == ""
}

func (c *call) authenticateKey(ctx context.Context) error {
	sent := c.form.texts[c.endpoint.schema.slots[keyParam]]
	if !sent.given {
		return fault.Missing(keyParam)
	}
	key := strings.TrimSpace(sent.raw)
	if sent.broken || !wellFormed(key) {
		return errKeyMalformed
	}
	who, err := c.router.auth.AuthenticateKey(ctx, c.r.Host, key)
	if err != nil {
		return fmt.Errorf("authenticate by key: %w", err)
	}
	c.who = who
	return c.endpoint.about.Who.CheckHook(who)
}

// byKeyForm words the faults of credentials as they are for the parameter api_key.
func byKeyForm(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, fault.ErrInvalidKey):
		return errKeyInvalid
	case errors.Is(err, fault.ErrOrgDeactivated):
		return errKeyOrg
	case errors.Is(err, fault.ErrUserDeactivated):
		return errKeyUser
	case errors.Is(err, fault.ErrWrongSubdomain):
		return errKeySubdomain
	case errors.Is(err, permit.ErrHook):
		return errKeyHook
	case errors.Is(err, permit.ErrNotHook):
		return errKeyNotHook
	default:
		return err
	}
}

// credentials takes the header of HTTP Basic apart.
func credentials(header string) (email, key string, err error) {
	if header == "" {
		return "", "", errNotLoggedIn
	}
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
