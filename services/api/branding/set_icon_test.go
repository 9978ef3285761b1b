package branding_test

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/picture"
	"chatserver.dev/services/servicetest"
)

type params = servicetest.Params

// size returns the size of the public picture at an address.
func size(t *testing.T, w *servicetest.World, url string) image.Point {
	t.Helper()
	got := w.Nobody().Page(url, nil)
	if got.Code != http.StatusOK || got.Header().Get("Content-Type") != "image/png" || got.Header().Get("X-Content-Type-Options") != "nosniff" {
		t.Fatalf("%s: %d %v", url, got.Code, got.Header())
	}
	decoded, err := png.Decode(bytes.NewReader(got.Body.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	return decoded.Bounds().Size()
}

// leads fails the test unless an address redirects to a picture.
func leads(t *testing.T, a servicetest.Account, path string, p params, to string) {
	t.Helper()
	if got := a.Do(http.MethodGet, path, p); got.Status != http.StatusFound || got.Header.Get("Location") != to || got.Body != "" {
		t.Errorf("%s: %d %v %s, want %s", path, got.Status, got.Header, got.Body, to)
	}
}

func TestSetIcon(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	olga, gus := w.Person("Olga", actor.Administrator), w.Person("Gus", actor.Guest)
	queues := map[string]*servicetest.Queue{"gus": gus.Everything(nil)}
	set := func(a servicetest.Account, content string) servicetest.Answer {
		return a.PostFile("/realm/icon", nil, "icon.png", content)
	}
	reply := struct {
		URL string `json:"icon_url"`
	}{}
	set(olga, servicetest.PNG(t, 300, 200, color.Black)).OK().Decode(&reply)
	want := fmt.Sprintf("/user_avatars/%d/realm/icon.png?v=2", w.Org.ID)
	if reply.URL != want {
		t.Errorf("%s, want %s", reply.URL, want)
	}
	if got := size(t, w, reply.URL); got != image.Pt(100, 100) {
		t.Errorf("%v", got)
	}
	leads(t, gus, "/realm/icon", nil, want)
	events := []map[string]any{}
	for _, kind := range []string{"icon", "logo", "night_logo"} { // the icon is the logo, too
		source := map[bool]string{true: "U", false: "D"}[kind == "icon"]
		events = append(events, map[string]any{"type": "realm", "op": "update_dict", "property": kind, "data": map[string]any{kind + "_url": want, kind + "_source": source}})
	}
	if diff := cmp.Diff(events, w.EventsOf(queues)["gus"]); diff != "" {
		t.Errorf("events:\n%s", diff)
	}
	state := struct {
		URL    string `json:"realm_icon_url"`
		Source string `json:"realm_icon_source"`
		Logo   string `json:"realm_logo_url"`
		From   string `json:"realm_logo_source"`
	}{}
	gus.RegisterInto(nil, &state)
	if state.URL != want || state.Source != "U" || state.Logo != want || state.From != "D" {
		t.Errorf("%+v", state)
	}
	settings := struct {
		Icon string `json:"realm_icon"`
	}{}
	gus.Do(http.MethodGet, "/server_settings", nil).OK().Decode(&settings)
	if settings.Icon != want {
		t.Errorf("%+v", settings)
	}

	set(gus, "x").Fails(400, "UNAUTHORIZED_PRINCIPAL", "Must be an organization administrator")
	olga.Do(http.MethodPost, "/realm/icon", nil).Fails(400, "", "You must upload exactly one icon.")
	set(olga, strings.Repeat("x", picture.MaxFile+1)).Fails(400, "", "Uploaded file is larger than the allowed limit of 5 MiB")
	set(olga, "no image").Fails(400, "BAD_IMAGE", "Could not decode image; did you upload an image file?")
	set(olga, "GIF89a\xff\xff\xff\xff\x00\x00\x00").Fails(400, "BAD_IMAGE", "Image size exceeds limit.")
	if got := w.EventsOf(queues); len(got) != 0 {
		t.Errorf("%v", got)
	}
}

// Whoever has lost the right sets no picture while the server still remembers it.
func TestSetTooLate(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	w.Remember()
	olga, ann := w.Person("Olga", actor.Owner), w.Person("Ann", actor.Administrator)
	ann.Do(http.MethodGet, "/users/me", nil).OK()
	olga.Do(http.MethodPatch, "/users/"+ann.ID.String(), params{"role": 400}).OK()
	for _, path := range []string{"/realm/icon", "/realm/logo?night=false"} {
		ann.PostFile(path, nil, "icon.png", servicetest.PNG(t, 4, 4, color.Black)).
			Fails(400, "UNAUTHORIZED_PRINCIPAL", "Must be an organization administrator")
	}
}
