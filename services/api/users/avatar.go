package users

import (
	"net/http"

	"chatserver.dev/services/api/picture"
)

// AvatarRoute is where [Avatar] belongs, at the host rather than below the interface's prefix.
const AvatarRoute = "GET /avatar/{user_id}"

// MediumAvatarRoute is the same for the size for profiles.
const MediumAvatarRoute = "GET /avatar/{user_id}/medium"

// Avatar serves the pictures that are generated for accounts, to everybody.
func Avatar() http.Handler { return picture.Handler("user", "user_id") }
