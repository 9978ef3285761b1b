package static_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"chatserver.dev/services/static"
)

// A part of a file is served, and what is already there isn't. Many parts would be larger than the file, and take longer.
func TestParts(t *testing.T) {
	t.Parallel()
	f := &static.File{Kind: "text/plain", Plain: []byte(strings.Repeat("0123456789", 100))}
	get := func(header, value string) *httptest.ResponseRecorder {
		w, r := httptest.NewRecorder(), httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
		r.Header.Set(header, value)
		f.ServeHTTP(w, r)
		return w
	}
	whole := get("Accept", "*/*")
	for _, c := range []struct {
		header, value string
		status, size  int
	}{
		{"Range", "bytes=7-8", http.StatusPartialContent, 2},
		{"Range", "bytes=-3", http.StatusPartialContent, 3},
		{"Range", "bytes=1000-", http.StatusRequestedRangeNotSatisfiable, -1},
		{"Range", "bytes=" + strings.Repeat("0-0,", 50) + "9-9", http.StatusOK, 1000},
		{"Range", "bytes=0-0, 2-2", http.StatusOK, 1000},
		{"If-None-Match", whole.Header().Get("Etag"), http.StatusNotModified, 0},
		{"If-None-Match", `"other"`, http.StatusOK, 1000},
	} {
		got := get(c.header, c.value)
		if got.Code != c.status || c.size >= 0 && got.Body.Len() != c.size {
			t.Errorf("%s: %.30s: %d, %d bytes", c.header, c.value, got.Code, got.Body.Len())
		}
	}
}
