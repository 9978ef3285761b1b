package users_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/user"
	"chatserver.dev/services/api/users"
)

// The address that clients are given is where the picture is.
func TestAvatar(t *testing.T) {
	t.Parallel()
	mux := http.NewServeMux()
	mux.Handle(users.AvatarRoute, users.Avatar())
	mux.Handle(users.MediumAvatarRoute, users.Avatar())
	u := user.User{ID: 12, AvatarVersion: 3}
	for _, url := range []string{user.AvatarURL(org.Org{}, u), user.AvatarURLMedium(org.Org{}, u), "/avatar/12/medium"} {
		w := httptest.NewRecorder()
		mux.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, url, nil))
		if w.Code != http.StatusOK || w.Header().Get("Content-Type") != "image/png" {
			t.Errorf("%s: %d, %v", url, w.Code, w.Header())
		}
	}
}
