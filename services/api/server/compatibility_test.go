package server_test

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/testbed"
	"chatserver.dev/services/api/server"
	"chatserver.dev/services/servicetest"
)

// The check is below the interface's prefix and at the host's root.
func TestCompatibility(t *testing.T) {
	t.Parallel()
	router := endpoint.NewRouter(endpoint.Config{Logger: testbed.Logger(t), Now: time.Now, Failed: servicetest.Declared(t)},
		[]endpoint.Endpoint{server.Compatibility()})
	page := server.CompatibilityPage(time.Now, testbed.Logger(t))
	for userAgent, want := range map[string]string{
		"Mobile/26.9.145 (Android 10)": `{"result":"success","msg":""}`,
		"ZulipInvalid/5.0":             `{"result":"error","msg":"Client is too old"}`,
		"":                             `{"result":"error","msg":"User-Agent header missing from request"}`,
	} {
		w := httptest.NewRecorder()
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "https://chat.example/api/v1/compatibility", nil)
		r.Header.Set("User-Agent", userAgent)
		router.ServeHTTP(w, r)
		servicetest.KeepsContract(t, r, w)
		if got := w.Body.String(); got != want+"\n" {
			t.Errorf("%q: %s, want %s", userAgent, got, want)
		}
		atRoot := httptest.NewRecorder()
		r.URL.Path = "/compatibility"
		page.ServeHTTP(atRoot, r)
		if atRoot.Code != w.Code || atRoot.Body.String() != w.Body.String() {
			t.Errorf("%q, at the root: %d %s", userAgent, atRoot.Code, atRoot.Body)
		}
	}
}
