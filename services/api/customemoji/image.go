package customemoji

import (
	"context"
	"log/slog"
	"net/http"
	"strconv"
	"strings"

	"chatserver.dev/pkg/blob"
	"chatserver.dev/pkg/customemoji"
	"chatserver.dev/pkg/id"
	"chatserver.dev/services/api/picture"
)

// ImageRoute is the route of [Image], at the host's root rather than below the interface's prefix.
const ImageRoute = "GET /user_avatars/{org}/emoji/images/{image}"

// Image serves the images of emoji, including deactivated ones.
func Image(emoji *customemoji.Service, logger *slog.Logger) http.Handler {
	return picture.Uploaded(logger, func(ctx context.Context, of id.Org, r *http.Request) (picture.Stored, error) {
		number, extension, _ := strings.Cut(r.PathValue("image"), ".")
		named, err := strconv.ParseInt(number, 10, 64)
		if err != nil || named < 1 {
			return picture.Stored{}, blob.ErrNotFound
		}
		image, err := emoji.Open(ctx, of, named, extension)
		if err != nil {
			return picture.Stored{}, err
		}
		return picture.Stored{Reader: image, Closer: image, Size: image.Size(), Kind: "image/" + extension}, nil
	})
}
