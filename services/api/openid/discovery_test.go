package openid_test

import (
	"net/http"
	"testing"
	"time"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/user"
)

// A provider can send neither browsers nor the client's secret to an address without TLS.
func TestDiscoveredAddresses(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	after := time.Duration(0)
	for _, member := range []string{"authorization_endpoint", "token_endpoint", "jwks_uri", "userinfo_endpoint"} {
		for _, address := range []string{"http://elsewhere.example/" + member, "javascript:alert(1)"} {
			after += time.Minute // discovery isn't repeated at once
			w.later.Store(int64(after))
			w.idp.set(func() { w.idp.named = map[string]any{member: address} })
			w.browser().fails(w.browser().get(signIn), http.StatusBadGateway, "doesn&#39;t respond")
		}
	}
	w.later.Store(int64(after + time.Minute))
	w.idp.set(func() { w.idp.named = map[string]any{"userinfo_endpoint": ""} }) // it is optional
	w.browser().leave(signIn)
}

// A code is sent once, with the secret where the provider wants it, even if the provider refuses it.
func TestAuthenticationAtProvider(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Account(w.acme, user.Draft{FullName: "Ann", RealEmail: "ann@corp.example", Role: actor.Member})
	for i, c := range []struct {
		methods []string
		basic   bool
	}{
		{[]string{"client_secret_post", "client_secret_basic", "private_key_jwt"}, true},
		{[]string{"private_key_jwt", "client_secret_post"}, false},
	} {
		w.later.Store(int64(25 * time.Hour * time.Duration(i))) // discovery is repeated
		w.idp.set(func() { w.idp.named = map[string]any{"token_endpoint_auth_methods_supported": c.methods} })
		b, before := w.browser(), w.idp.count("/token")
		if answer := b.visit(signIn, ann(nil)); answer.Code != http.StatusOK || w.idp.basic != c.basic {
			t.Errorf("%v: %d %s, in the header: %t", c.methods, answer.Code, answer.Body, w.idp.basic)
		}
		b = w.browser()
		b.fails(b.get(atAcme+"/accounts/complete/idp_1?code=wrong&state="+w.state(b)), http.StatusForbidden, "didn&#39;t confirm")
		if n := w.idp.count("/token") - before; n != 2 {
			t.Errorf("%v: %d requests for two codes", c.methods, n)
		}
	}
}
