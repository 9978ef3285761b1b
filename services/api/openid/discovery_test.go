package openid_test

import (
	"net/http"
	"testing"
	"time"
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
