// Package picture serves pictures that are generated for those who have none of their own.
package picture

import (
	"net/http"
	"strconv"
	"strings"

	"chatserver.dev/pkg/endpoint"
)

// The sizes that pictures are served in, in pixels.
const (
	small  = 100
	medium = 500
)

// Handler serves the pictures of what has a number and a kind, "user" or "org", to everybody: they
// say nothing but the number. The number is the path value named id; with size=medium the picture is
// large, as it is where the path ends in /medium. Nothing is looked up, so a number that nobody has gets a picture, too. Addresses carry a
// version, so answers may be kept for good.
func (d *Drawer) Handler(kind, id string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		number, err := strconv.ParseInt(r.PathValue(id), 10, 64)
		if err != nil || number < 1 {
			endpoint.NotFound(w)
			return
		}
		w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
		d.Serve(w, r, kind+strconv.FormatInt(number, 10))
	})
}

// Serve answers with the picture of a name, in the size that the request asks for. Headers that are set already stay.
func (d *Drawer) Serve(w http.ResponseWriter, r *http.Request, name string) {
	size := small
	if IsMedium(r) {
		size = medium
	}
	picture, err := d.PNG(name, size)
	if err != nil {
		endpoint.InternalError(w)
		return
	}
	w.Header().Set("Content-Type", "image/png")
	w.Header().Set("Content-Length", strconv.Itoa(len(picture)))
	w.Header().Set("X-Content-Type-Options", "nosniff")
	_, _ = w.Write(picture) // a client that went away
}

// IsMedium reports whether a request asks for a picture in the size for profiles.
func IsMedium(r *http.Request) bool {
	return r.URL.Query().Get("size") == "medium" || strings.HasSuffix(r.URL.Path, "/medium")
}
