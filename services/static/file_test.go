package static_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"maps"
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

// Clients that take gzip get the packed file, and others the plain one, whichever of the two is there. Caches keep the two
// apart, and a file that isn't a page has no policy.
func TestHeaders(t *testing.T) {
	t.Parallel()
	const text = "<!doctype html><title>A page</title>"
	always := map[string]string{
		"Content-Type": "text/html; charset=utf-8", "Cache-Control": "public, no-cache", "Vary": "Accept-Encoding",
		"X-Content-Type-Options": "nosniff", "Referrer-Policy": "same-origin",
		"Content-Encoding": "", "Content-Security-Policy": "", "Cross-Origin-Opener-Policy": "",
	}
	tags := map[string]bool{}
	for _, c := range []struct {
		name   string
		file   *static.File
		gzip   bool
		others map[string]string
	}{
		{"plain", &static.File{Plain: []byte(text)}, false, nil},
		{"packed from plain", &static.File{Plain: []byte(text)}, true, map[string]string{"Content-Encoding": "gzip"}},
		{"packed", &static.File{Packed: packed(t, text)}, true, map[string]string{"Content-Encoding": "gzip"}},
		{"plain from packed", &static.File{Packed: packed(t, text)}, false, nil},
		{"forever", &static.File{Plain: []byte(text), Forever: true}, false, map[string]string{"Cache-Control": "public, max-age=31536000, immutable"}},
		{"page", &static.File{Plain: []byte(text), Policy: "default-src 'self'"}, false, map[string]string{
			"Content-Security-Policy": "default-src 'self'", "Cross-Origin-Opener-Policy": "same-origin",
		}},
	} {
		c.file.Kind = always["Content-Type"]
		w, r := httptest.NewRecorder(), httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
		if c.gzip {
			r.Header.Set("Accept-Encoding", "br, gzip")
		}
		c.file.ServeHTTP(w, r)
		want := maps.Clone(always)
		maps.Copy(want, c.others)
		for name, value := range want {
			if got := w.Header().Get(name); got != value {
				t.Errorf("%s: %s is %q, want %q", c.name, name, got, value)
			}
		}
		tags[w.Header().Get("Etag")] = true
		got := w.Body.String()
		if c.gzip {
			got = unpacked(t, w.Body)
		}
		if w.Code != http.StatusOK || got != text {
			t.Errorf("%s: %d, %q", c.name, w.Code, got)
		}
	}
	if len(tags) != 2 || tags[""] || tags[`""`] {
		t.Errorf("%v are the tags, want one of the plain and one of the packed text", tags)
	}
}

// What can't be unpacked is an error, not an empty page.
func TestDamaged(t *testing.T) {
	t.Parallel()
	f := &static.File{Kind: "text/plain", Packed: []byte("not packed")}
	for range 2 {
		w := httptest.NewRecorder()
		f.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil))
		if w.Code != http.StatusInternalServerError || !strings.Contains(w.Body.String(), `"result":"error"`) {
			t.Errorf("%d, %s", w.Code, w.Body)
		}
	}
}

func packed(t *testing.T, text string) []byte {
	t.Helper()
	out := &bytes.Buffer{}
	w := gzip.NewWriter(out)
	if _, err := io.WriteString(w, text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func unpacked(t *testing.T, from io.Reader) string {
	t.Helper()
	r, err := gzip.NewReader(from)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
