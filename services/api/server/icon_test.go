package server_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"chatserver.dev/pkg/org"
	"chatserver.dev/services/api/server"
)

// The picture is at the address that clients get.
func TestIcon(t *testing.T) {
	t.Parallel()
	mux := http.NewServeMux()
	mux.Handle(server.IconRoute, server.Icon())
	w := httptest.NewRecorder()
	mux.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, org.Org{ID: 3}.PictureURL(org.Icon), nil))
	if w.Code != http.StatusOK || w.Header().Get("Content-Type") != "image/png" {
		t.Errorf("%d, %v", w.Code, w.Header())
	}
}
