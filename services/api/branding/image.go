package branding

import (
	"context"
	"log/slog"
	"net/http"

	"chatserver.dev/pkg/blob"
	"chatserver.dev/pkg/branding"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/org"
	"chatserver.dev/services/api/picture"
)

// ImageRoute is the route of [Image], at the host's root rather than below the interface's prefix.
const ImageRoute = "GET /user_avatars/{org}/realm/{image}"

// Image serves the pictures that organizations have chosen.
func Image(brand *branding.Service, logger *slog.Logger) http.Handler {
	kinds := map[string]org.PictureKind{}
	for _, kind := range []org.PictureKind{org.Icon, org.Logo, org.NightLogo} {
		kinds[string(kind)+".png"] = kind
	}
	return picture.Uploaded(logger, func(ctx context.Context, of id.Org, r *http.Request) (picture.Stored, error) {
		kind, ok := kinds[r.PathValue("image")]
		if !ok {
			return picture.Stored{}, blob.ErrNotFound
		}
		image, err := brand.Open(ctx, of, kind)
		if err != nil {
			return picture.Stored{}, err
		}
		return picture.Stored{Reader: image, Closer: image, Size: image.Size(), Kind: "image/png"}, nil
	})
}
