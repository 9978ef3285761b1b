package openid_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/user"
	"chatserver.dev/services/servicetest"
)

func TestHostileWaysBack(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Account(w.acme, user.Draft{FullName: "Ann", RealEmail: "ann@corp.example", Role: actor.Member})
	w.NewOrg("rival")
	const expired = "You began in another browser"
	b := w.browser()
	back := w.idp.allow(b.leave(signIn), ann(nil))

	// A sign-in can't be completed in another browser, or with another state.
	b.fails(w.browser().back(back), 400, expired)
	eve := w.browser()
	eve.leave(signIn)
	eve.fails(eve.back(back), 400, expired)
	eve.fails(eve.get(atAcme+"/accounts/complete/idp_1?code=x"), 400, expired)
	eve.fails(eve.get(atAcme+"/accounts/complete/idp_1?code=x&state=acme."), 400, expired)

	// The state redirects only to the organization where the sign-in began.
	rival := strings.Replace(strings.Replace(back, "https://chat.example", "https://rival.chat.example", 1), "state=acme.", "state=rival.", 1)
	b.fails(b.back(rival), 400, expired)
	b.fails(b.back(strings.Replace(back, "https://chat.example", "https://rival.chat.example", 1)), 400, expired)
	for _, name := range []string{"nobody", "evil.example/", "evil.example#", "x@evil", "evil.example:80", "acme.chat.example", "%0d%0aX:y"} {
		answer := b.get("https://chat.example/accounts/complete/idp_1?state=" + name + ".x&code=y")
		if to := answer.Header().Get("Location"); to != "" && !strings.HasPrefix(to, "https://acme.chat.example/") || to == "" && answer.Code != 400 {
			t.Errorf("%q leads to %q, %d", name, to, answer.Code)
		}
	}

	// A response for another issuer, and one of a person who has refused.
	b.fails(b.back(strings.Replace(back, "iss=http", "iss=https", 1)), 403, "didn&#39;t confirm")
	b.leave(signIn)
	b.fails(b.back(strings.Replace(w.idp.allow(b.leave(signIn), ann(nil)), "code=", "error=access_denied&x=", 1)), 403, "You didn&#39;t sign in")

	// A code is valid once: not again in the same browser, even after restoring its cookie.
	back = w.idp.allow(b.leave(signIn), ann(nil))
	cookie := b.cookies["acme."+servicetest.Host]["__Host-signin"]
	if answer := b.back(back); answer.Code != 200 || b.in() == "" {
		t.Fatalf("%d %s", answer.Code, answer.Body)
	}
	delete(b.cookies["acme."+servicetest.Host], session)
	b.fails(b.back(back), 400, expired)
	b.cookies["acme."+servicetest.Host]["__Host-signin"] = cookie
	b.fails(b.back(back), 403, "didn&#39;t confirm")

	// It expires after a while.
	back = w.idp.allow(b.leave(signIn), ann(nil))
	w.later.Store(int64(11 * time.Minute))
	b.fails(b.back(back), 400, expired)
}

func TestHostileTokens(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Account(w.acme, user.Draft{FullName: "Ann", RealEmail: "ann@corp.example", Role: actor.Member})
	other := newIDP(t).key
	forged := func(change map[string]any) grant { return ann(change) }
	for name, g := range map[string]grant{
		"nonce":           forged(map[string]any{"nonce": "another"}),
		"no nonce":        forged(map[string]any{"nonce": ""}),
		"issuer":          forged(map[string]any{"iss": "https://elsewhere.example"}),
		"audience":        forged(map[string]any{"aud": "another"}),
		"several":         forged(map[string]any{"aud": []string{"chat", "another"}}),
		"several, other":  forged(map[string]any{"aud": []string{"chat", "another"}, "azp": "another"}),
		"expired":         forged(map[string]any{"exp": time.Now().Add(-time.Minute).Unix()}),
		"no subject":      forged(map[string]any{"sub": ""}),
		"long subject":    forged(map[string]any{"sub": strings.Repeat("x", 256)}),
		"subject with 0":  forged(map[string]any{"sub": "a\x00"}),
		"access token":    forged(map[string]any{"at_hash": "AAAAAAAAAAAAAAAAAAAAAA"}),
		"key":             {token: ann(nil).token, sign: func(h, c map[string]any) string { return signBy(other, h, c) }},
		"no signature":    {token: ann(nil).token, sign: func(_, c map[string]any) string { return unsigned(map[string]any{"alg": "none"}, c) + "." }},
		"symmetric":       {token: ann(nil).token, sign: func(_, c map[string]any) string { return unsigned(map[string]any{"alg": "HS256"}, c) + ".AAAA" }},
		"no token at all": {token: ann(nil).token, sign: func(_, _ map[string]any) string { return "" }},
	} {
		t.Run(name, func(*testing.T) {
			b := w.browser()
			b.fails(b.visit(signIn, g), http.StatusForbidden, "didn&#39;t confirm")
		})
	}
	b := w.browser()
	// Another person's code in one's own browser: PKCE.
	back := w.idp.allow(w.browser().leave(signIn), ann(nil))
	stolen, _ := url.Parse(back)
	own := w.idp.allow(b.leave(signIn), ann(nil))
	mine, _ := url.Parse(own)
	q := mine.Query()
	q.Set("code", stolen.Query().Get("code"))
	mine.RawQuery = q.Encode()
	b.fails(b.back(mine.String()), http.StatusForbidden, "didn&#39;t confirm")
}

// A network with too many refused codes has to wait, and the provider gets no requests.
func TestFloodOfCodes(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.browser()
	for range 100 {
		b.fails(b.get(atAcme+"/accounts/complete/idp_1?code=wrong&state="+w.state(b)), 403, "didn&#39;t confirm")
	}
	before := w.idp.count("/token")
	b.fails(b.get(atAcme+"/accounts/complete/idp_1?code=wrong&state="+w.state(b)), 429, "too many attempts")
	if after := w.idp.count("/token"); after != before || before < 100 {
		t.Errorf("the provider was asked %d times, then %d", before, after)
	}
}

// state begins to sign in, and returns the state.
func (w *world) state(b *browser) string {
	w.t.Helper()
	to, err := url.Parse(b.leave(signIn))
	if err != nil {
		w.t.Fatal(err)
	}
	return to.Query().Get("state")
}
