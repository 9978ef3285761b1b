package users

import (
	"context"
	"log/slog"
	"net/http"
	"strings"

	"chatserver.dev/pkg/avatar"
	"chatserver.dev/pkg/blob"
	"chatserver.dev/pkg/id"
	"chatserver.dev/services/api/picture"
)

// UploadedAvatarRoute is the route of [UploadedAvatar], at the host's root rather than below the interface's prefix.
const UploadedAvatarRoute = "GET /user_avatars/{org}/{folder}/{image}"

// UploadedAvatar serves the uploaded pictures of accounts, without authentication. Their addresses can't be guessed.
func UploadedAvatar(avatars *avatar.Service, logger *slog.Logger) http.Handler {
	return picture.Uploaded(logger, func(ctx context.Context, of id.Org, r *http.Request) (picture.Stored, error) {
		name, ok := strings.CutSuffix(r.PathValue("image"), ".png")
		if !ok {
			return picture.Stored{}, blob.ErrNotFound
		}
		side := avatar.Small
		if whole, ok := strings.CutSuffix(name, "-medium"); ok {
			name, side = whole, avatar.Medium
		}
		path := r.PathValue("org") + "/" + r.PathValue("folder") + "/" + name
		image, err := avatars.Open(ctx, of, path, side)
		return picture.Stored{Reader: image, Closer: image, Size: image.Size, Kind: "image/png"}, err
	})
}
