package users

import (
	"errors"
	"log/slog"
	"net/http"
	"strconv"
	"strings"

	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/user"
	"chatserver.dev/services/api/picture"
)

// AvatarRoute is the route of [Avatar], at the host's root rather than below the interface's prefix.
const AvatarRoute = "GET /avatar/{user}"

// MediumAvatarRoute is the route of [Avatar] for the size for profiles.
const MediumAvatarRoute = "GET /avatar/{user}/medium"

// Avatar serves the pictures of accounts (rest-api.md, section 5.10). With a number, it serves a generated picture
// without authentication; authenticated callers are redirected to the account's own picture, if it has one. With an
// email address in place of the number, callers must be authenticated, and are redirected to the picture of the account
// with that address as they see it. For any other address it serves a generated picture, too.
func Avatar(users *user.Service, auth endpoint.Authenticator, logger *slog.Logger) http.Handler {
	drawer := &picture.Drawer{}
	numbers := drawer.Handler("user", "user")
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		email := r.PathValue("user")
		if !strings.Contains(email, "@") {
			if url, ok := chosen(users, auth, r); ok {
				w.Header().Set("Cache-Control", "private, no-cache")
				http.Redirect(w, r, url+passedOn(r), http.StatusFound) //nolint:gosec // the server's own address; a query is passed on
				return
			}
			numbers.ServeHTTP(w, r)
			return
		}
		// The account of an address can change, and isn't public.
		w.Header().Set("Cache-Control", "private, no-cache")
		who, err := endpoint.Authenticate(auth, r)
		url := ""
		if err == nil {
			url, err = users.Avatar(r.Context(), who, email, picture.IsMedium(r))
		}
		switch {
		case err == nil:
			http.Redirect(w, r, url+passedOn(r), http.StatusFound) //nolint:gosec // url is an address of ours, what follows is in its query string
		case errors.Is(err, user.ErrNoSuchUser):
			drawer.Serve(w, r, "address"+strings.ToLower(email))
		default:
			endpoint.Fail(w, r, logger, "find a picture", err)
		}
	})
}

// chosen returns the address of the own picture of the account whose number is in the path. ok is false if there is
// none, or if the caller isn't authenticated.
func chosen(users *user.Service, auth endpoint.Authenticator, r *http.Request) (url string, ok bool) {
	number, err := strconv.ParseInt(r.PathValue("user"), 10, 64)
	if err != nil {
		return "", false
	}
	who, err := endpoint.Authenticate(auth, r)
	if err != nil {
		return "", false
	}
	url, drawn, err := users.AvatarOf(r.Context(), who, id.User(number), picture.IsMedium(r))
	return url, err == nil && !drawn
}

// passedOn returns the part of the request's query string that a redirect keeps: everything except the API key, which
// is secret.
func passedOn(r *http.Request) string {
	query := r.URL.Query()
	query.Del("api_key")
	if len(query) == 0 {
		return ""
	}
	return "&" + query.Encode()
}
