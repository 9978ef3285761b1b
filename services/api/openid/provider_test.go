package openid_test

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"maps"
	"math/big"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync"
	"testing"
	"time"
)

// idp is an identity provider that the test controls, also for invalid responses.
type idp struct {
	t      *testing.T
	key    *rsa.PrivateKey
	server *httptest.Server

	mu     sync.Mutex
	grants map[string]grant // by code
	asked  map[string]int   // number of requests by path
	issuer string           // in its configuration
	named  map[string]any   // members of its configuration that replace the correct ones
	basic  bool             // the last code came with the secret in the header
	broken bool             // responds only with 500
	// brokenAt is a path at which it responds only with 500.
	brokenAt string
	// held are the paths at which requests that come now wait until the channel is closed.
	held map[string]chan struct{}
}

// grant is the meaning of a code.
type grant struct {
	asked url.Values     // the query of the authorization
	token map[string]any // claims of the ID token that add to, or replace, the correct ones
	info  map[string]any // response at the userinfo endpoint; nil: none
	sign  func(header, payload map[string]any) string
}

func newIDP(t *testing.T) *idp {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	p := &idp{t: t, key: key, grants: map[string]grant{}, asked: map[string]int{}}
	mux := http.NewServeMux()
	mux.HandleFunc("/.well-known/openid-configuration", p.describe)
	mux.HandleFunc("/jwks", p.keys)
	mux.HandleFunc("/token", p.token)
	mux.HandleFunc("/userinfo", p.info)
	p.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.mu.Lock()
		p.asked[r.URL.Path]++
		held := p.held[r.URL.Path]
		p.mu.Unlock()
		if held != nil {
			<-held
		}
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.broken || p.brokenAt == r.URL.Path {
			w.WriteHeader(http.StatusInternalServerError)
			return
		}
		mux.ServeHTTP(w, r)
	}))
	t.Cleanup(p.server.Close)
	p.issuer = p.server.URL
	return p
}

// set changes the provider.
func (p *idp) set(change func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	change()
}

// hold makes requests for a path wait. more makes further ones not wait, and end lets all continue.
func (p *idp) hold(path string) (more, end func()) {
	held := make(chan struct{})
	p.set(func() { p.held = map[string]chan struct{}{path: held} })
	more = func() { p.set(func() { p.held = nil }) }
	return more, sync.OnceFunc(func() { more(); close(held) })
}

func (p *idp) count(path string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.asked[path]
}

// allow creates a code for a person who was redirected to an address, and returns the address to which the provider
// redirects them.
func (p *idp) allow(address string, g grant) string {
	p.t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		p.t.Fatal(err)
	}
	g.asked = u.Query()
	code := rand.Text()
	p.set(func() { p.grants[code] = g })
	return g.asked.Get("redirect_uri") + "?" + url.Values{"code": {code}, "state": {g.asked.Get("state")}, "iss": {p.issuer}}.Encode()
}

func (p *idp) describe(w http.ResponseWriter, _ *http.Request) {
	document := map[string]any{
		"issuer": p.issuer, "authorization_endpoint": p.server.URL + "/authorize", "token_endpoint": p.server.URL + "/token",
		"jwks_uri": p.server.URL + "/jwks", "userinfo_endpoint": p.server.URL + "/userinfo", "id_token_signing_alg_values_supported": []string{"RS256"},
	}
	maps.Copy(document, p.named)
	p.answer(w, http.StatusOK, document)
}

func (p *idp) keys(w http.ResponseWriter, _ *http.Request) {
	p.answer(w, http.StatusOK, map[string]any{"keys": []any{map[string]any{
		"kty": "RSA", "alg": "RS256", "use": "sig", "kid": "1", "n": encode(p.key.N.Bytes()), "e": encode(big.NewInt(int64(p.key.E)).Bytes()),
	}}})
}

// token exchanges a code once, as RFC 6749 and RFC 7636 define.
func (p *idp) token(w http.ResponseWriter, r *http.Request) {
	_ = r.ParseForm()
	g, ok := p.grants[r.PostForm.Get("code")]
	delete(p.grants, r.PostForm.Get("code"))
	client, secret, basic := r.BasicAuth()
	p.basic = basic
	if client == "" {
		client, secret = r.PostForm.Get("client_id"), r.PostForm.Get("client_secret")
	}
	challenge := sha256.Sum256([]byte(r.PostForm.Get("code_verifier")))
	if !ok || client != "chat" || secret != "hush" || r.PostForm.Get("redirect_uri") != g.asked.Get("redirect_uri") ||
		g.asked.Get("code_challenge_method") != "S256" || encode(challenge[:]) != g.asked.Get("code_challenge") {
		p.answer(w, http.StatusBadRequest, map[string]any{"error": "invalid_grant"})
		return
	}
	access := rand.Text()
	p.grants[access] = g
	claims := map[string]any{
		"iss": p.issuer, "sub": "ann", "aud": "chat", "exp": time.Now().Add(48 * time.Hour).Unix(), "iat": time.Now().Unix(), "nonce": g.asked.Get("nonce"),
	}
	maps.Copy(claims, g.token)
	sign := g.sign
	if sign == nil {
		sign = p.sign
	}
	p.answer(w, http.StatusOK, map[string]any{
		"access_token": access, "token_type": "Bearer", "expires_in": 60, "id_token": sign(map[string]any{"alg": "RS256", "kid": "1"}, claims),
	})
}

func (p *idp) info(w http.ResponseWriter, r *http.Request) {
	g := p.grants[r.Header.Get("Authorization")[len("Bearer "):]]
	said := map[string]any{"sub": "ann"}
	maps.Copy(said, g.info)
	p.answer(w, http.StatusOK, said)
}

func (p *idp) answer(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body)
}

func encode(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }

func unsigned(header, claims map[string]any) string {
	head, _ := json.Marshal(header)
	body, _ := json.Marshal(claims)
	return encode(head) + "." + encode(body)
}

// sign signs a token with the provider's key.
func (p *idp) sign(header, claims map[string]any) string { return signBy(p.key, header, claims) }

func signBy(key *rsa.PrivateKey, header, claims map[string]any) string {
	text := unsigned(header, claims)
	sum := sha256.Sum256([]byte(text))
	signature, _ := rsa.SignPKCS1v15(rand.Reader, key, crypto.SHA256, sum[:])
	return text + "." + encode(signature)
}
