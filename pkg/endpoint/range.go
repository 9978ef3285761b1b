package endpoint

import (
	"net/http"
	"strings"
)

// OneRange makes a request for several parts of a file one for the whole file, which costs less: each part would be read
// separately, from a bucket with a request of its own.
func OneRange(r *http.Request) {
	if strings.Contains(r.Header.Get("Range"), ",") {
		r.Header.Del("Range")
	}
}
