package docs

import (
	_ "embed"
	"net/http"

	"chatserver.dev/services/api/openapi"
	"chatserver.dev/services/static"
)

// Routes of the pages, in the form of http.ServeMux. They are at the host's root, beside /api/v1.
const (
	documentRoute = "GET /api/openapi.json"
	pageRoute     = "GET /api/docs"
	slashRoute    = "GET /api/docs/{$}"
	viewerRoute   = "GET /api/docs/viewer.js"
)

// policy allows the page only resources of this server. The viewer also adds inline styles, and pictures with data:
// addresses.
const policy = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; " +
	"font-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

//go:embed page.html
var page []byte

//go:embed viewer/standalone.js.gz
var viewer []byte

// Pages returns the handlers of the document, the page and its viewer, by their routes.
func Pages() map[string]http.Handler {
	return map[string]http.Handler{
		documentRoute: &static.File{Kind: "application/json", Plain: openapi.Document()},
		pageRoute:     &static.File{Kind: "text/html; charset=utf-8", Plain: page, Policy: policy},
		slashRoute:    http.RedirectHandler("/api/docs", http.StatusMovedPermanently),
		viewerRoute:   &static.File{Kind: "text/javascript; charset=utf-8", Packed: viewer},
	}
}
