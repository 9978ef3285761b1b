package openid

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"chatserver.dev/pkg/account"
	"chatserver.dev/pkg/provider"
	"chatserver.dev/pkg/user"
)

const (
	// answerTime is the timeout of a request to a provider.
	answerTime = 10 * time.Second
	// retryTime is how long a provider that didn't respond isn't asked again. It doubles with each failure, up to maxRetryTime.
	retryTime    = 5 * time.Second
	maxRetryTime = time.Minute
	// freshTime is how long a provider's discovery document is used before it is requested again.
	freshTime = 24 * time.Hour
	// maxAnswer is the maximum size of a provider's response, in bytes.
	maxAnswer = 1 << 20
	// maxSubject is the maximum length of a subject, in bytes (OpenID Connect Core, section 2).
	maxSubject = 255
	// maxSignature is the maximum length of a signature in base64, that of an RSA key of 8192 bits. An RSA key of a
	// megabyte would take minutes of a processor.
	maxSignature = 1366
	// noKeys begins the text of package oidc's error if the provider's keys can't be read; it has no value for that. The response may follow.
	noKeys = "failed to verify signature: fetching keys"
	// maxExchanges is the maximum number of concurrent exchanges of codes at a provider. Each makes up to three requests.
	maxExchanges = 32
)

// errDown means that a provider can't be reached, or doesn't work. All other errors of a client mean that the provider
// refused, or that its response can't be trusted.
var errDown = errors.New("the identity provider doesn't respond")

// client sends requests to a provider. It is safe for concurrent use.
type client struct {
	about provider.Provider
	back  string // address to which the provider sends browsers
	http  *http.Client
	now   func() time.Time
	// exchanges are those in progress. Each provider has its own, so that a slow one doesn't affect the others.
	exchanges chan struct{}
	silence   silence // of exchanges

	asking   sync.Mutex     // held while the discovery document is requested
	mu       sync.Mutex     // for the fields below
	found    *oidc.Provider // nil: not yet
	foundAt  time.Time
	failures int // since the last success
	failedAt time.Time
}

func newClient(about provider.Provider, back string, now func() time.Time) *client {
	return &client{about: about, back: back, now: now, exchanges: make(chan struct{}, maxExchanges), http: &http.Client{
		Timeout:   answerTime,
		Transport: bounded{&http.Transport{MaxResponseHeaderBytes: 64 << 10, IdleConnTimeout: time.Minute, TLSHandshakeTimeout: answerTime}},
		// A redirect could send secrets to another server.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// bounded truncates responses that are too large.
type bounded struct{ http.RoundTripper }

// RoundTrip implements [http.RoundTripper].
func (b bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	answer, err := b.RoundTripper.RoundTrip(r)
	if err == nil {
		answer.Body = struct {
			io.Reader
			io.Closer
		}{io.LimitReader(answer.Body, maxAnswer), answer.Body}
	}
	return answer, err
}

// discover returns the provider by its discovery document. It fails with [errDown].
func (c *client) discover(ctx context.Context) (*oidc.Provider, error) {
	found, asked, due := c.state()
	switch {
	case !due:
	case !asked:
		c.asking.Lock() // all wait for the first response
		defer c.asking.Unlock()
	case c.asking.TryLock(): // only one waits for a further one
		defer c.asking.Unlock()
	default:
		due = false
	}
	if due {
		found, _, due = c.state() // somebody else may have asked meanwhile
	}
	if due {
		return c.ask(ctx)
	}
	if found == nil {
		return nil, errDown
	}
	return found, nil
}

// state returns the last discovered state of the provider, nil if there is none, whether it has been asked at all, and whether it is time to
// ask it.
func (c *client) state() (found *oidc.Provider, asked, due bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.now()
	fresh := c.found != nil && now.Sub(c.foundAt) < freshTime
	failed := c.failures > 0 && now.Sub(c.failedAt) < pause(c.failures)
	return c.found, c.found != nil || c.failures > 0, !fresh && !failed
}

// ask requests the discovery document. If that fails, it returns the last discovered state of the provider.
func (c *client) ask(ctx context.Context) (*oidc.Provider, error) {
	// Other requests wait for this response, so it isn't cancelled with the first of them.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), answerTime)
	defer cancel()
	found, err := oidc.NewProvider(oidc.ClientContext(ctx, c.http), c.about.Issuer)
	if err == nil {
		err = c.check(found)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if err == nil {
		c.found, c.foundAt, c.failures = found, c.now(), 0
		return found, nil
	}
	c.failures++
	c.failedAt = c.now()
	if c.found != nil {
		return c.found, nil
	}
	return nil, fmt.Errorf("%w: %w", errDown, err)
}

// check returns an error if the discovery document names an address that can't be trusted with what is sent there.
func (c *client) check(found *oidc.Provider) error {
	keys := struct {
		Address string `json:"jwks_uri"`
	}{}
	if err := found.Claims(&keys); err != nil {
		return err
	}
	named := []string{found.Endpoint().AuthURL, found.Endpoint().TokenURL, keys.Address}
	if info := found.UserInfoEndpoint(); info != "" {
		named = append(named, info)
	}
	for _, address := range named {
		if err := c.about.CheckEndpoint(address); err != nil {
			return err
		}
	}
	return nil
}

func (c *client) config(p *oidc.Provider) *oauth2.Config {
	endpoint := p.Endpoint()
	endpoint.AuthStyle = c.authStyle(p)
	return &oauth2.Config{
		ClientID: c.about.ClientID, ClientSecret: c.about.ClientSecret, Endpoint: endpoint, RedirectURL: c.back,
		Scopes: append([]string{oidc.ScopeOpenID}, c.about.Scopes...),
	}
}

// authStyle returns how the server authenticates at the provider. Without it, package oauth2 sends a code again, in another style,
// whenever it is refused.
func (c *client) authStyle(p *oidc.Provider) oauth2.AuthStyle {
	document := struct {
		Methods []string `json:"token_endpoint_auth_methods_supported"`
	}{}
	switch err := p.Claims(&document); {
	case c.about.ClientSecret == "":
		return oauth2.AuthStyleInParams
	case err != nil: // it has another form, which package oauth2 needn't know
		return oauth2.AuthStyleAutoDetect
	case slices.Contains(document.Methods, "client_secret_basic"):
		return oauth2.AuthStyleInHeader
	case slices.Contains(document.Methods, "client_secret_post"):
		return oauth2.AuthStyleInParams
	}
	return oauth2.AuthStyleAutoDetect
}

// address returns the address at which users sign in at the provider.
func (c *client) address(ctx context.Context, f flow, state string) (string, error) {
	if c.silence.quiet(c.now()) { // people would sign in there in vain
		return "", errDown
	}
	p, err := c.discover(ctx)
	if err != nil {
		return "", err
	}
	return c.config(p).AuthCodeURL(state, oidc.Nonce(f.Nonce), oauth2.S256ChallengeOption(f.Verifier)), nil
}

// claims are a provider's claims about a user.
type claims map[string]any

// identity exchanges a code for the identity of its user. If the role depends on groups and the provider didn't send
// them, the role is unknown and lacking is true.
func (c *client) identity(ctx context.Context, code string, f flow) (who account.Identity, lacking bool, err error) {
	p, err := c.discover(ctx)
	if err != nil {
		return account.Identity{}, false, err
	}
	ctx = oidc.ClientContext(ctx, c.http)
	token, err := c.config(p).Exchange(ctx, code, oauth2.VerifierOption(f.Verifier))
	if err != nil {
		return account.Identity{}, false, classify(err)
	}
	verified, err := c.verify(ctx, p, token, f.Nonce)
	if err != nil {
		return account.Identity{}, false, err
	}
	said := claims{}
	if err := verified.Claims(&said); err != nil {
		return account.Identity{}, false, fmt.Errorf("claims of the ID token: %w", err)
	}
	if err := c.complete(ctx, p, token, verified.Subject, said); err != nil {
		return account.Identity{}, false, err
	}
	who = account.Identity{
		Method: c.about.Slot, Issuer: verified.Issuer, Subject: verified.Subject, Email: said.email(c.about.TrustEmails), FullName: said.text("name"),
	}
	groups, sent := said.list(c.about.GroupsClaim)
	role, matters := c.about.Role(groups)
	if sent {
		who.Role = role
	}
	return who, matters && !sent, nil
}

// classify returns [errDown] for errors except those by which a provider refuses a code.
func classify(err error) error {
	answered := (*oauth2.RetrieveError)(nil)
	switch {
	case !errors.As(err, &answered):
		return fmt.Errorf("%w: exchange the code: %w", errDown, err)
	case answered.Response.StatusCode >= http.StatusInternalServerError:
		return fmt.Errorf("%w: exchange the code: status %d", errDown, answered.Response.StatusCode)
	}
	return fmt.Errorf("exchange the code: status %d, %.100q", answered.Response.StatusCode, answered.ErrorCode)
}

// verify returns the ID token that came with an access token, if it was made for this flow.
func (c *client) verify(ctx context.Context, p *oidc.Provider, token *oauth2.Token, nonce string) (*oidc.IDToken, error) {
	raw, ok := token.Extra("id_token").(string)
	if !ok {
		return nil, errors.New("the answer has no ID token")
	}
	if len(raw)-1-strings.LastIndexByte(raw, '.') > maxSignature {
		return nil, errors.New("the signature of the ID token is too long")
	}
	verified, err := p.VerifierContext(ctx, &oidc.Config{ClientID: c.about.ClientID, Now: c.now}).Verify(ctx, raw)
	if err != nil {
		if strings.HasPrefix(err.Error(), noKeys) {
			return nil, fmt.Errorf("%w: %.200s", errDown, err.Error())
		}
		return nil, err
	}
	party := struct {
		Authorized string `json:"azp"`
	}{}
	if err := verified.Claims(&party); err != nil {
		return nil, fmt.Errorf("claims of the ID token: %w", err)
	}
	switch {
	case verified.Nonce != nonce:
		return nil, errors.New("the ID token has another nonce")
	case len(verified.Audience) > 1 && party.Authorized != c.about.ClientID:
		return nil, errors.New("the ID token is another program's")
	case verified.Subject == "" || len(verified.Subject) > maxSubject || strings.ContainsRune(verified.Subject, 0):
		return nil, errors.New("the ID token has an invalid subject")
	case verified.AccessTokenHash != "":
		return verified, verified.VerifyAccessToken(token.AccessToken)
	}
	return verified, nil
}

// complete adds claims from the provider's UserInfo endpoint if the ID token lacks a required one.
func (c *client) complete(ctx context.Context, p *oidc.Provider, token *oauth2.Token, subject string, said claims) error {
	grouped := c.about.GroupsClaim == "" || said[c.about.GroupsClaim] != nil
	if p.UserInfoEndpoint() == "" || said["email"] != nil && said["name"] != nil && grouped {
		return nil
	}
	info, err := p.UserInfo(ctx, oauth2.StaticTokenSource(token))
	if err != nil {
		return fmt.Errorf("%w: %w", errDown, err)
	}
	if info.Subject != subject {
		return errors.New("the UserInfo response has another subject than the ID token")
	}
	more := claims{}
	if err := info.Claims(&more); err != nil {
		return fmt.Errorf("claims of the UserInfo response: %w", err)
	}
	if said["email"] == nil {
		said["email"], said["email_verified"] = more["email"], more["email_verified"]
	}
	for _, name := range []string{"name", c.about.GroupsClaim} {
		if value, ok := more[name]; ok && said[name] == nil {
			said[name] = value
		}
	}
	return nil
}

func (c claims) text(name string) string {
	text, _ := c[name].(string)
	return text
}

// email returns the address if the provider has verified it, otherwise "". If trusted is set, an address without
// email_verified counts as verified.
func (c claims) email(trusted bool) string {
	// Some providers send a string.
	verified := c["email_verified"] == true || c["email_verified"] == "true" || c["email_verified"] == nil && trusted
	if email := c.text("email"); verified && user.ValidEmail(email) {
		return email
	}
	return ""
}

// list returns a claim that is a string or a list of strings; ok is false if it is missing.
func (c claims) list(name string) (all []string, ok bool) {
	switch value := c[name].(type) {
	case string:
		return []string{value}, true
	case []any:
		for _, one := range value {
			if text, ok := one.(string); ok {
				all = append(all, text)
			}
		}
		return all, true
	}
	return nil, false
}
