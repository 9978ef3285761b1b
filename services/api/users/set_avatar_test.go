package users_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image/color"
	"image/png"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/picture"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/services/servicetest"
)

// setAvatar uploads a picture of one color.
func setAvatar(t *testing.T, a servicetest.Account, fill color.Color) string {
	t.Helper()
	reply := struct {
		URL string `json:"avatar_url"`
	}{}
	a.PostFile("/users/me/avatar", nil, "me.png", servicetest.PNG(t, 120, 80, fill)).OK().Decode(&reply)
	return reply.URL
}

// shown checks that a response is a picture of a size and a color.
func shown(t *testing.T, path string, got *httptest.ResponseRecorder, side int, fill color.Color) {
	t.Helper()
	if got.Code != http.StatusOK || got.Header().Get("Content-Type") != "image/png" || got.Header().Get("X-Content-Type-Options") != "nosniff" ||
		got.Header().Get("Content-Security-Policy") != "default-src 'none'; sandbox" || got.Header().Get("Cache-Control") != "public, max-age=31536000, immutable" {
		t.Fatalf("%s: %d %v %s", path, got.Code, got.Header(), got.Body)
	}
	decoded, err := png.Decode(bytes.NewReader(got.Body.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	if decoded.Bounds().Dx() != side || decoded.Bounds().Dy() != side || color.RGBAModel.Convert(decoded.At(side/2, side/2)) != fill {
		t.Errorf("%s: %v, %v", path, decoded.Bounds(), decoded.At(side/2, side/2))
	}
}

func TestSetAvatar(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	ann, gus := w.Person("Ann", actor.Member), w.Person("Gus", actor.Guest)
	robot := w.Bot("Robot", actor.GenericBot, ann)
	red, blue := color.RGBA{R: 200, A: 255}, color.RGBA{B: 200, A: 255}
	nobody := w.Nobody()
	queues := map[string]*servicetest.Queue{"ann": ann.Everything(nil), "gus": gus.Everything(nil)}
	url := setAvatar(t, ann, red)
	if !strings.HasPrefix(url, fmt.Sprintf("/user_avatars/%d/", w.Org.ID)) || !strings.HasSuffix(url, ".png?v=2") {
		t.Fatal(url)
	}
	medium := strings.Replace(url, ".png", "-medium.png", 1)
	shown(t, url, nobody.Page(url, nil), 100, red)
	shown(t, medium, nobody.Page(medium, nil), 500, red)
	event := map[string]any{"type": "realm_user", "op": "update", "person": map[string]any{
		"user_id": float64(ann.ID), "avatar_source": "U", "avatar_url": url, "avatar_url_medium": medium, "avatar_version": 2.0,
	}}
	if diff := cmp.Diff(map[string][]map[string]any{"ann": {event}, "gus": {event}}, w.EventsOf(queues)); diff != "" {
		t.Errorf("events:\n%s", diff)
	}
	own := struct {
		URL     string `json:"avatar_url"`
		Version int    `json:"avatar_version"`
	}{}
	ann.Do(http.MethodGet, "/users/me", nil).OK().Decode(&own)
	if own.URL != url || own.Version != 2 {
		t.Errorf("%+v", own)
	}

	// Another picture has another address, and the previous one is removed.
	second := setAvatar(t, ann, blue)
	shown(t, second, nobody.Page(second, nil), 100, blue)
	if got := nobody.Page(url, nil); got.Code != http.StatusNotFound {
		t.Errorf("the picture before: %d", got.Code)
	}
	w.EventsOf(queues)
	of := setAvatar(t, robot, red)
	events := w.EventsOf(queues)
	if len(events["gus"]) != 1 || len(events["ann"]) != 2 || events["ann"][0]["type"] != "realm_bot" || events["ann"][1]["type"] != "realm_user" {
		t.Fatalf("%v", events)
	}
	if diff := cmp.Diff(map[string]any{"user_id": float64(robot.ID), "avatar_url": of}, events["ann"][0]["bot"]); diff != "" {
		t.Errorf("the bot's event:\n%s", diff)
	}
}

func TestSetAvatarRefused(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	ann, olga := w.Person("Ann", actor.Member), w.Person("Olga", actor.Owner)
	image := servicetest.PNG(t, 10, 10, color.Black)
	ann.Do(http.MethodPost, "/users/me/avatar", nil).Fails(400, "", "You must upload exactly one avatar.")
	ann.PostFile("/users/me/avatar", nil, "me.png", strings.Repeat("x", picture.MaxFile+1)).Fails(400, "", "Uploaded file is larger than the allowed limit of 5 MiB")
	ann.PostFile("/users/me/avatar", nil, "me.png", "no image").Fails(400, "BAD_IMAGE", "Could not decode image; did you upload an image file?")
	ann.PostFile("/users/me/avatar", nil, "me.gif", "GIF89a\xff\xff\xff\xff\x00\x00\x00").Fails(400, "BAD_IMAGE", "Image size exceeds limit.")
	settings := map[string]json.RawMessage{"avatar_changes_disabled": json.RawMessage("true")}
	if err := w.DB.Write(t.Context(), w.Org.ID, func(tx *store.Tx) error {
		_, _, err := w.Orgs.Change(t.Context(), tx, org.Change{Settings: settings})
		return err
	}); err != nil {
		t.Fatal(err)
	}
	const disabled = "Avatar changes are disabled in this organization."
	ann.Do(http.MethodPost, "/users/me/avatar", nil).Fails(400, "", "You must upload exactly one avatar.")
	ann.PostFile("/users/me/avatar", nil, "me.png", image).Fails(400, "", disabled)
	ann.Do(http.MethodDelete, "/users/me/avatar", nil).Fails(400, "", disabled)
	olga.PostFile("/users/me/avatar", nil, "me.png", image).OK()
	olga.Do(http.MethodDelete, "/users/me/avatar", nil).OK()
}

// Whoever has lost the right, or the account, sets no picture while the server still remembers it.
func TestSetAvatarTooLate(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	w.Remember()
	olga, ann, mia := w.Person("Olga", actor.Owner), w.Person("Ann", actor.Administrator), w.Person("Mia", actor.Member)
	setAvatar(t, ann, color.Black)
	setAvatar(t, mia, color.Black)
	olga.Do(http.MethodPatch, "/realm", params{"avatar_changes_disabled": true}).OK()
	olga.Do(http.MethodPatch, "/users/"+ann.ID.String(), params{"role": 400}).OK()
	olga.Do(http.MethodDelete, "/users/"+mia.ID.String(), nil).OK()
	image := servicetest.PNG(t, 4, 4, color.White)
	ann.PostFile("/users/me/avatar", nil, "me.png", image).Fails(400, "", "Avatar changes are disabled in this organization.")
	olga.Do(http.MethodPatch, "/realm", params{"avatar_changes_disabled": false}).OK()
	mia.PostFile("/users/me/avatar", nil, "me.png", image).Fails(401, "UNAUTHORIZED", "Account is deactivated")
}

// Of concurrent uploads one picture stays, with its file, and there is no other file.
func TestSetAvatarAtOnce(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	ann := w.Person("Ann", actor.Member)
	queues := map[string]*servicetest.Queue{"ann": ann.Everything(nil)}
	wg := sync.WaitGroup{}
	for i := range 4 {
		wg.Go(func() { setAvatar(t, ann, color.RGBA{R: uint8(50 * i), A: 255}) })
	}
	wg.Wait()
	events := w.EventsOf(queues)["ann"]
	last, _ := events[len(events)-1]["person"].(map[string]any)
	if len(events) != 4 || last["avatar_version"] != 5.0 {
		t.Errorf("%v", events)
	}
	db := storetest.Connect(t, w.DatabaseURL)
	files := storetest.Values[string](db, "select path from files")
	if len(files) != 1 || !strings.Contains(last["avatar_url"].(string), files[0]) {
		t.Errorf("%q, %v", files, last)
	}
}
