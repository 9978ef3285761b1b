package docs_test

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"testing"

	"chatserver.dev/services/api/docs"
	"chatserver.dev/services/api/openapi"
)

// pages is the handler for all requests of a test.
type pages struct {
	*http.ServeMux
	t *testing.T
}

func newPages(t *testing.T) pages {
	t.Helper()
	p := pages{http.NewServeMux(), t}
	for route, page := range docs.Pages() {
		p.Handle(route, page)
	}
	return p
}

// get requests a page with further headers, in pairs.
func (p pages) get(path string, headers ...string) *httptest.ResponseRecorder {
	p.t.Helper()
	r := httptest.NewRequestWithContext(p.t.Context(), http.MethodGet, path, http.NoBody)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	recorder := httptest.NewRecorder()
	p.ServeHTTP(recorder, r)
	return recorder
}

func unpacked(t *testing.T, packed []byte) []byte {
	t.Helper()
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestPages(t *testing.T) {
	t.Parallel()
	p := newPages(t)
	for path, c := range map[string]struct{ kind, policy string }{
		"/api/openapi.json":   {"application/json", ""},
		"/api/docs":           {"text/html; charset=utf-8", "default-src 'none'"},
		"/api/docs/viewer.js": {"text/javascript; charset=utf-8", ""},
	} {
		t.Run(path, func(t *testing.T) {
			plain := p.get(path)
			h := plain.Header()
			if plain.Code != http.StatusOK || h.Get("Content-Type") != c.kind || h.Get("Content-Encoding") != "" ||
				!strings.HasPrefix(h.Get("Content-Security-Policy"), c.policy) || c.policy == "" && h.Get("Content-Security-Policy") != "" ||
				h.Get("X-Content-Type-Options") != "nosniff" || h.Get("Cache-Control") != "public, no-cache" || h.Get("Vary") != "Accept-Encoding" {
				t.Errorf("status %d, %v", plain.Code, h)
			}
			packed := p.get(path, "Accept-Encoding", "br, gzip;q=0.8")
			if packed.Header().Get("Content-Encoding") != "gzip" || !bytes.Equal(unpacked(t, packed.Body.Bytes()), plain.Body.Bytes()) {
				t.Error("the compressed page differs")
			}
			if got := p.get(path, "Accept-Encoding", "gzip;q=0"); got.Header().Get("Content-Encoding") != "" {
				t.Error("packed for a client that refuses it")
			}
			tag, packedTag := h.Get("Etag"), packed.Header().Get("Etag")
			if tag == "" || tag == packedTag {
				t.Errorf("tags %q and %q", tag, packedTag)
			}
			for _, c := range []struct {
				tag, encoding string
				want          int
			}{
				{tag, "", http.StatusNotModified},
				{packedTag, "gzip", http.StatusNotModified},
				{tag, "gzip", http.StatusOK},
				{`"other"`, "", http.StatusOK},
			} {
				if got := p.get(path, "If-None-Match", c.tag, "Accept-Encoding", c.encoding); got.Code != c.want {
					t.Errorf("If-None-Match %s for %q: %d, want %d", c.tag, c.encoding, got.Code, c.want)
				}
			}
		})
	}
	if got := p.get("/api/docs/"); got.Code != http.StatusMovedPermanently || got.Header().Get("Location") != "/api/docs" {
		t.Errorf("with a slash: %d %v", got.Code, got.Header())
	}
}

func TestDocument(t *testing.T) {
	t.Parallel()
	p := newPages(t)
	body := p.get("/api/openapi.json").Body.Bytes()
	if !bytes.Equal(body, openapi.Document()) {
		t.Error("it isn't the OpenAPI document")
	}
	head := struct {
		OpenAPI string `json:"openapi"`
	}{}
	if err := json.Unmarshal(body, &head); err != nil || head.OpenAPI != "3.1.0" {
		t.Errorf("%v %q", err, head.OpenAPI)
	}
}

// The page loads resources only from this server: every address in it is a path or data, and the policy contains no
// host.
func TestPageIsClosed(t *testing.T) {
	t.Parallel()
	p := newPages(t)
	answer := p.get("/api/docs")
	page := answer.Body.String()
	addresses := regexp.MustCompile(`(?:src|href|data-url)="([^"]*)"`).FindAllStringSubmatch(page, -1)
	if len(addresses) < 3 {
		t.Errorf("addresses %q", addresses)
	}
	for _, address := range addresses {
		path := strings.HasPrefix(address[1], "/") && !strings.HasPrefix(address[1], "//")
		if !path && address[1] != "data:," {
			t.Errorf("the page refers to %s", address[1])
		}
		if path && p.get(address[1]).Code != http.StatusOK {
			t.Errorf("the page refers to %s, which doesn't exist", address[1])
		}
	}
	policy := answer.Header().Get("Content-Security-Policy")
	for directive := range strings.SplitSeq(policy, ";") {
		for _, source := range strings.Fields(directive)[1:] {
			switch source {
			case "'self'", "'none'", "data:":
			case "'unsafe-inline'":
				if !strings.HasPrefix(strings.TrimSpace(directive), "style-src") {
					t.Errorf("the policy allows %s", directive)
				}
			default:
				t.Errorf("the policy allows %s", source)
			}
		}
	}
	config := regexp.MustCompile(`data-configuration='([^']*)'`).FindStringSubmatch(page)
	settings := struct {
		Telemetry        *bool   `json:"telemetry"`
		WithDefaultFonts *bool   `json:"withDefaultFonts"`
		ProxyURL         *string `json:"proxyUrl"`
	}{}
	if err := json.Unmarshal([]byte(config[1]), &settings); err != nil {
		t.Fatal(err)
	}
	if settings.Telemetry == nil || *settings.Telemetry || settings.WithDefaultFonts == nil || *settings.WithDefaultFonts || settings.ProxyURL == nil || *settings.ProxyURL != "" {
		t.Errorf("the viewer is configured with %s", config[1])
	}
}

// The viewer is the pinned file, and its license is included.
func TestViewerIsPinned(t *testing.T) {
	t.Parallel()
	p := newPages(t)
	pin, err := os.ReadFile("viewer/pin")
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(p.get("/api/docs/viewer.js").Body.Bytes())
	if want := "\nsha256 " + hex.EncodeToString(sum[:]) + "\n"; !strings.Contains(string(pin), want) {
		t.Errorf("the viewer differs from its pin:%s\n%s", want, pin)
	}
	if licence, err := os.ReadFile("viewer/LICENSE"); err != nil || !strings.Contains(string(licence), "Scalar") {
		t.Errorf("licence: %v", err)
	}
}
