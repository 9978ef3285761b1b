package picture

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"strconv"

	"chatserver.dev/pkg/blob"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/id"
)

// Stored is an uploaded picture.
type Stored struct {
	io.Reader
	io.Closer
	Size int64  // in bytes
	Kind string // Content-Type
}

// Uploaded serves uploaded pictures of organizations without authentication. open opens a picture, and fails with
// [blob.ErrNotFound] if there is none. The number of the organization is the path value named org. The server has
// encoded the pictures itself, so they contain only pixels. Addresses change with pictures, so responses may be cached
// forever.
func Uploaded(logger *slog.Logger, open func(ctx context.Context, of id.Org, r *http.Request) (Stored, error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		stored, err := find(r, open)
		switch {
		case errors.Is(err, blob.ErrNotFound):
			endpoint.NotFound(w)
		case err != nil:
			endpoint.Fail(w, r, logger, "open a picture", err)
		default:
			defer stored.Close() //nolint:errcheck // it was only read
			h := w.Header()
			h.Set("Content-Type", stored.Kind)
			h.Set("Content-Length", strconv.FormatInt(stored.Size, 10))
			h.Set("Content-Security-Policy", "default-src 'none'; sandbox")
			h.Set("X-Content-Type-Options", "nosniff")
			h.Set("Cache-Control", "public, max-age=31536000, immutable")
			if r.Method != http.MethodHead {
				_, _ = io.Copy(w, stored) // the client may have disconnected
			}
		}
	})
}

func find(r *http.Request, open func(ctx context.Context, of id.Org, r *http.Request) (Stored, error)) (Stored, error) {
	number, err := strconv.ParseInt(r.PathValue("org"), 10, 64)
	if err != nil || number < 1 {
		return Stored{}, blob.ErrNotFound
	}
	return open(r.Context(), id.Org(number), r)
}
