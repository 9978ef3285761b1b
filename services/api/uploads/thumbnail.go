package uploads

import (
	"context"
	"net/http"
	"net/url"
	"strings"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/attachment"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/imagelink"
)

// ThumbnailRoute is the route of [Server.Thumbnail], at the host's root rather than below the interface's prefix.
const ThumbnailRoute = "GET /thumbnail"

// errSize means that the requested size is unknown.
var errSize = fault.New(fault.Forbidden, fault.CodeNone, "Invalid size.")

// Thumbnail serves images of messages (rest-api.md, section 7.9): an uploaded file to callers who may read it, as a
// thumbnail or in its full size. Images of other servers have no thumbnails: readers are redirected to the image proxy,
// if it is enabled.
func (s *Server) Thumbnail(images *imagelink.Signer, auth endpoint.Authenticator) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		who, err := endpoint.Authenticate(auth, r)
		if err != nil {
			s.refuse(w, r, err)
			return
		}
		of, size := r.URL.Query().Get("url"), r.URL.Query().Get("size")
		switch address, ours := strings.CutPrefix(strings.TrimPrefix(of, "/"), strings.TrimPrefix(attachment.Prefix, "/")); {
		case of == "":
			err = fault.Missing("url")
		case size == "":
			err = fault.Missing("size")
		case ours:
			s.serve(w, r, who.User, func(ctx context.Context) (attachment.Readable, error) { return s.sized(ctx, who, address, size) })
			return
		case size != "full" && size != "thumbnail":
			err = errSize
		default:
			err = attachment.ErrUnknown
			if images == nil {
				break
			}
			if path := images.Path(of); path != "" {
				w.Header().Set("Cache-Control", "private, no-store")
				http.Redirect(w, r, path, http.StatusFound) //nolint:gosec // a path on this server, which is signed
				return
			}
		}
		s.refuse(w, r, err)
	})
}

// sized finds an uploaded file in a size. The address is as in messages, where characters may be escaped.
func (s *Server) sized(ctx context.Context, who actor.Actor, address, size string) (attachment.Readable, error) {
	address, err := url.PathUnescape(address)
	if err != nil {
		return attachment.Readable{}, attachment.ErrUnknown
	}
	switch size {
	case "full":
		return s.uploads.Find(ctx, who, address)
	case "thumbnail":
		return s.uploads.Thumbnail(ctx, who, address)
	default:
		return attachment.Readable{}, errSize
	}
}
