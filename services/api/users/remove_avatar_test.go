package users_test

import (
	"fmt"
	"image/color"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/services/servicetest"
)

func TestRemoveAvatar(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	ann := w.Person("Ann", actor.Guest)
	nobody := w.Nobody()
	url := setAvatar(t, ann, color.Black)
	queues := map[string]*servicetest.Queue{"ann": ann.Everything(nil)}
	drawn := fmt.Sprintf("/avatar/%d?v=3", ann.ID)
	for range 2 { // the second changes nothing
		reply := struct {
			URL string `json:"avatar_url"`
		}{}
		ann.Do(http.MethodDelete, "/users/me/avatar", nil).OK().Decode(&reply)
		if reply.URL != drawn {
			t.Errorf("%s, want %s", reply.URL, drawn)
		}
	}
	want := []map[string]any{{"type": "realm_user", "op": "update", "person": map[string]any{
		"user_id": float64(ann.ID), "avatar_source": "G", "avatar_url": drawn, "avatar_url_medium": drawn + "&size=medium", "avatar_version": 3.0,
	}}}
	if diff := cmp.Diff(want, w.EventsOf(queues)["ann"]); diff != "" {
		t.Errorf("events:\n%s", diff)
	}
	if got := nobody.Page(url, nil); got.Code != http.StatusNotFound {
		t.Errorf("the picture is still there: %d", got.Code)
	}
}
