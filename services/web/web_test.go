package web_test

import (
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"chatserver.dev/pkg/markdown"
	"chatserver.dev/services/web"
)

// mostFirst is how many bytes of script and style a browser loads at first, packed.
const mostFirst = 180_000

// get asks for a path of the client, as browsers do.
func get(t *testing.T, path string) *httptest.ResponseRecorder {
	t.Helper()
	mux := http.NewServeMux()
	for route, page := range web.Pages(web.Config{Enabled: true}) {
		mux.Handle(route, page)
	}
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, http.NoBody)
	recorder := httptest.NewRecorder()
	mux.ServeHTTP(recorder, r)
	r.Header.Set("Accept-Encoding", "gzip")
	packed := httptest.NewRecorder()
	if mux.ServeHTTP(packed, r); packed.Code != recorder.Code || packed.Code == http.StatusOK && packed.Header().Get("Content-Encoding") != "gzip" {
		t.Errorf("%s, packed: status %d, %v", path, packed.Code, packed.Header())
	}
	recorder.Header().Set("X-Packed", strings.Repeat("x", packed.Body.Len()))
	return recorder
}

// The page loads nothing but files of this server, has nothing inline, and may be in no other page.
func TestPage(t *testing.T) {
	t.Parallel()
	page := get(t, "/")
	h := page.Header()
	if page.Code != http.StatusOK || h.Get("Content-Type") != "text/html; charset=utf-8" || h.Get("Cache-Control") != "public, no-cache" {
		t.Errorf("status %d, %v", page.Code, h)
	}
	if opener := h.Get("Cross-Origin-Opener-Policy"); opener != "same-origin" {
		t.Errorf("sites that open the page have a hold on it: %q", opener)
	}
	policy := h.Get("Content-Security-Policy")
	for _, part := range []string{"default-src 'none'", "script-src 'self';", "style-src 'self';", "frame-ancestors 'none'", "require-trusted-types-for 'script'"} {
		if !strings.Contains(policy, part) {
			t.Errorf("%s isn't in %s", part, policy)
		}
	}
	for _, inline := range []string{`<style`, ` style=`, ` on\w+=`, `<script[^>]*>[^<]`, `//`} {
		if found := regexp.MustCompile(inline).FindString(page.Body.String()); found != "" {
			t.Errorf("the page has %q", found)
		}
	}
}

// Files may be kept, as their names change with them, and all that is loaded first is small.
func TestFiles(t *testing.T) {
	t.Parallel()
	total, scripts := 0, map[string]bool{}
	for _, found := range regexp.MustCompile(`(?:src|href)="(/assets/[^"]+)"`).FindAllStringSubmatch(get(t, "/").Body.String(), -1) {
		file := get(t, found[1])
		h := file.Header()
		if file.Code != http.StatusOK || !strings.Contains(h.Get("Cache-Control"), "immutable") || h.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: status %d, %v", found[1], file.Code, h)
		}
		total += len(h.Get("X-Packed"))
		if strings.HasSuffix(found[1], ".js") {
			scripts[found[1]] = true
		}
	}
	if len(scripts) != 2 {
		t.Errorf("the first load has the scripts %v, not the page and what it begins with: browsers take longer for many small ones", scripts)
	}
	if total == 0 || total > mostFirst {
		t.Errorf("the first load is %d bytes, and may be %d", total, mostFirst)
	}
}

// What has the same name in every version is asked for again. The worker works for the whole host, and loads nothing else.
func TestWorker(t *testing.T) {
	t.Parallel()
	for path, kind := range map[string]string{"/worker.js": "text/javascript; charset=utf-8", "/manifest.webmanifest": "application/manifest+json", "/icon-192.png": "image/png", markdown.ProductEmojiPath: "image/png"} {
		file := get(t, path)
		if h := file.Header(); file.Code != http.StatusOK || h.Get("Content-Type") != kind || h.Get("Cache-Control") != "public, no-cache" {
			t.Errorf("%s: status %d, %v", path, file.Code, h)
		}
	}
	if policy := get(t, "/worker.js").Header().Get("Content-Security-Policy"); !strings.HasPrefix(policy, "default-src 'none'; connect-src 'self'") {
		t.Errorf("%q", policy)
	}
	kept := regexp.MustCompile(`/assets/[\w.-]+`).FindAllString(get(t, "/worker.js").Body.String(), -1)
	for _, file := range kept {
		if got := get(t, file); got.Code != http.StatusOK {
			t.Errorf("the worker keeps %s: status %d", file, got.Code)
		}
	}
	if len(kept) < 5 {
		t.Errorf("the worker keeps %d files", len(kept))
	}
	icons := regexp.MustCompile(`"src": "([^"]+)"`).FindAllStringSubmatch(get(t, "/manifest.webmanifest").Body.String(), -1)
	for _, icon := range icons {
		if got := get(t, icon[1]); got.Code != http.StatusOK {
			t.Errorf("%s: status %d", icon[1], got.Code)
		}
	}
	if len(icons) < 2 {
		t.Errorf("%d icons", len(icons))
	}
}

// Unknown files are left to the interface, whose 404s are JSON.
func TestUnknownFile(t *testing.T) {
	t.Parallel()
	mux := http.NewServeMux()
	for route, page := range web.Pages(web.Config{Enabled: true}) {
		mux.Handle(route, page)
	}
	for _, path := range []string{"/assets/index-old.js", "/assets/", "/assets", "/index.html"} {
		if _, route := mux.Handler(httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, http.NoBody)); route != "" {
			t.Errorf("%s is served by %s", path, route)
		}
	}
	for _, path := range []string{"/assets/index-old.js", "/assets/", "/assets/../dist/index.html", "/index.html"} {
		if got := get(t, path); got.Code == http.StatusOK {
			t.Errorf("%s: status %d", path, got.Code)
		}
	}
}

// Without a client the pages of the server that look like it are there.
func TestDisabled(t *testing.T) {
	t.Parallel()
	if got := get(t, web.Style()); got.Code != http.StatusOK || got.Header().Get("Content-Type") != "text/css; charset=utf-8" {
		t.Errorf("%s: status %d, %v", web.Style(), got.Code, got.Header())
	}
	pages := web.Pages(web.Config{})
	if len(pages) != 2 || pages["GET "+web.Style()] == nil || pages["GET "+markdown.ProductEmojiPath] == nil {
		t.Errorf("there are %v", pages)
	}
}
