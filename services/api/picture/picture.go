// Package picture serves pictures: uploaded ones, and generated ones for accounts and organizations without one.
package picture

import (
	"net/http"
	"strconv"
	"strings"

	"chatserver.dev/pkg/avatar"
	"chatserver.dev/pkg/endpoint"
)

// Handler serves the generated pictures of a kind, "user" or "org", without authentication: they contain only the
// number. The number is the path value named id. With size=medium, or if the path ends in /medium, the picture is
// large. Nothing is looked up, so there are pictures for unused numbers, too. Responses may be cached forever if the
// address has a version; otherwise there may be another picture at it tomorrow.
func (d *Drawer) Handler(kind, id string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		number, err := strconv.ParseInt(r.PathValue(id), 10, 64)
		if err != nil || number < 1 {
			endpoint.NotFound(w)
			return
		}
		w.Header().Set("Cache-Control", "private, no-cache")
		if r.URL.Query().Has("v") {
			w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
		}
		d.Serve(w, r, kind+strconv.FormatInt(number, 10))
	})
}

// Serve responds with the generated picture of a name, in the requested size. It keeps headers that are set already.
func (d *Drawer) Serve(w http.ResponseWriter, r *http.Request, name string) {
	size := avatar.Small
	if IsMedium(r) {
		size = avatar.Medium
	}
	picture := d.PNG(name, size)
	w.Header().Set("Content-Type", "image/png")
	w.Header().Set("Content-Length", strconv.Itoa(len(picture)))
	w.Header().Set("X-Content-Type-Options", "nosniff")
	_, _ = w.Write(picture) // the client may have disconnected
}

// IsMedium reports whether a request is for a picture in the size for profiles.
func IsMedium(r *http.Request) bool {
	return r.URL.Query().Get("size") == "medium" || strings.HasSuffix(r.URL.Path, "/medium")
}
