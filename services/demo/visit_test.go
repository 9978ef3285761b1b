package demo_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"chatserver.dev/services/demo"
)

// An unknown link doesn't sign in. Valid links are opened in the tests of hack/web.
func TestUnknownVisit(t *testing.T) {
	t.Parallel()
	mux := http.NewServeMux()
	mux.Handle(demo.VisitRoute, demo.NewVisits(nil, false))
	for _, path := range []string{"/visit/AAAA", "/visit/"} {
		recorder := httptest.NewRecorder()
		mux.ServeHTTP(recorder, httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, http.NoBody))
		if recorder.Code != http.StatusNotFound || len(recorder.Result().Cookies()) > 0 {
			t.Errorf("%s: status %d, %v", path, recorder.Code, recorder.Header())
		}
	}
}
