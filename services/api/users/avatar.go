package users

import (
	"errors"
	"log/slog"
	"net/http"
	"strconv"
	"strings"

	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/user"
	"chatserver.dev/services/api/picture"
)

// AvatarRoute is where [Avatar] belongs, at the host rather than below the interface's prefix.
const AvatarRoute = "GET /avatar/{user}"

// MediumAvatarRoute is the same for the size for profiles.
const MediumAvatarRoute = "GET /avatar/{user}/medium"

// Avatar serves the pictures of accounts (rest-api.md, section 5.10). Those of numbers are generated, for everybody; who logs in is
// redirected to the picture that the account has chosen, if it has. With an address in place of the number callers have to log in,
// and are redirected to the picture of the account that they know by the address; for any other address there is a picture, too.
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
		// What an address means can change, and isn't for everybody.
		w.Header().Set("Cache-Control", "private, no-cache")
		who, err := endpoint.Authenticate(auth, r)
		url := ""
		if err == nil {
			url, err = users.Avatar(r.Context(), who, email, picture.IsMedium(r))
		}
		f := fault.Of(err)
		switch {
		case err == nil:
			http.Redirect(w, r, url+passedOn(r), http.StatusFound) //nolint:gosec // url is an address of ours, what follows is in its query string
		case errors.Is(err, user.ErrNoSuchUser):
			drawer.Serve(w, r, "address"+strings.ToLower(email))
		case f != nil:
			endpoint.Refuse(w, f)
		case r.Context().Err() == nil:
			logger.ErrorContext(r.Context(), "failed to find a picture", slog.Any("error", err))
			endpoint.InternalError(w)
		}
	})
}

// chosen returns where the picture is that the account of the number in the path has chosen, for callers who log in.
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

// passedOn is what a redirect keeps of the request's query string: everything but the key, which is nobody else's.
func passedOn(r *http.Request) string {
	query := r.URL.Query()
	query.Del("api_key")
	if len(query) == 0 {
		return ""
	}
	return "&" + query.Encode()
}
