package users_test

import (
	"fmt"
	"image/color"
	"net/http"
	"strings"
	"testing"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/user"
	"chatserver.dev/services/servicetest"
)

// Such addresses serve only current pictures of accounts, whatever else is in the storage.
func TestUploadedAvatar(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	ann := w.Person("Ann", actor.Member)
	zoe := w.Account(w.NewOrg("elsewhere"), user.Draft{FullName: "Zoe", Role: actor.Member})
	url := setAvatar(t, ann, color.Black)
	path, _, _ := strings.Cut(url, "?")
	file := ann.Upload("secret.png", servicetest.PNG(t, 10, 10, color.White))
	nobody := w.Nobody()
	stored := strings.TrimSuffix(strings.TrimPrefix(file, "/user_uploads/"), "/secret.png")
	for _, missing := range []string{
		"/user_avatars/" + stored + ".png", "/user_avatars/" + stored + "-medium.png", strings.TrimSuffix(path, ".png"), path + ".png",
		strings.Replace(path, ".png", ".gif", 1), strings.Replace(path, ".png", "-small.png", 1), strings.Replace(path, "/user_avatars/", "/user_avatars/0", 1),
		"/user_avatars/1/aa/.png", "/user_avatars/1/aa/%00.png", strings.Replace(path, fmt.Sprintf("/%d/", w.Org.ID), fmt.Sprintf("/%d/", zoe.Org.ID), 1),
	} {
		if got := nobody.Page(missing, nil); got.Code != http.StatusNotFound || got.Header().Get("Content-Type") != "application/json" {
			t.Errorf("%s: %d %s", missing, got.Code, got.Body)
		}
	}
}
