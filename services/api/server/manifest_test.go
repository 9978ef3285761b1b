package server_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/services/api/server"
)

// An installed client has the name of its organization, whatever characters it contains.
func TestManifest(t *testing.T) {
	t.Parallel()
	orgs := org.New(storetest.Open(t), org.Config{ExternalHost: "chat.example", ExternalScheme: "https"}, time.Now)
	const name = `Dock "5" </script>`
	if _, err := orgs.Create(t.Context(), org.Draft{Subdomain: "dock", Name: name, Settings: org.Defaults()}, nil); err != nil {
		t.Fatal(err)
	}
	handler := server.Manifest(orgs, time.Now)
	nameAt := func(host string) (called string) {
		t.Helper()
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/manifest.webmanifest", nil)
		r.Host = host
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		got := struct {
			Name     string `json:"name"`
			StartURL string `json:"start_url"`
			Icons    []any  `json:"icons"`
		}{}
		if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil || w.Code != http.StatusOK || got.StartURL != "/" || len(got.Icons) < 2 {
			t.Errorf("%s: %d %s: %v", host, w.Code, w.Body, err)
		}
		return got.Name
	}
	if got := nameAt("dock.chat.example"); got != name {
		t.Errorf("it is called %q", got)
	}
	if got := nameAt("nowhere.chat.example"); got != "Chat" {
		t.Errorf("without an organization it is called %q", got)
	}
	for range 100 {
		nameAt("dock.chat.example")
	}
	if got := nameAt("dock.chat.example"); got != "Chat" {
		t.Errorf("with frequent requests the name is %q", got)
	}
}
