package branding_test

import (
	"fmt"
	"image"
	"image/color"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/picture"
	"chatserver.dev/services/servicetest"
)

func TestSetLogo(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	olga, gus := w.Person("Olga", actor.Owner), w.Person("Gus", actor.Guest)
	queues := map[string]*servicetest.Queue{"gus": gus.Everything(nil)}
	set := func(a servicetest.Account, night, content string) servicetest.Answer {
		return a.PostFile("/realm/logo", map[string]string{"night": night}, "logo.png", content)
	}
	set(olga, "false", servicetest.PNG(t, 1600, 100, color.Black)).OK()
	set(olga, "true", servicetest.PNG(t, 300, 60, color.White)).OK()
	want := []map[string]any{}
	for kind, test := range map[string]struct {
		night bool
		size  image.Point
	}{"logo": {false, image.Pt(800, 50)}, "night_logo": {true, image.Pt(300, 60)}} {
		url := fmt.Sprintf("/user_avatars/%d/realm/%s.png?v=2", w.Org.ID, kind)
		if got := size(t, w, url); got != test.size {
			t.Errorf("%s: %v", kind, got)
		}
		leads(t, gus, "/realm/logo", params{"night": test.night}, url)
		event := map[string]any{"type": "realm", "op": "update_dict", "property": kind, "data": map[string]any{kind + "_url": url, kind + "_source": "U"}}
		if test.night {
			want = append(want, event)
		} else {
			want = append([]map[string]any{event}, want...)
		}
	}
	if diff := cmp.Diff(want, w.EventsOf(queues)["gus"]); diff != "" {
		t.Errorf("events:\n%s", diff)
	}
	set(gus, "true", "x").Fails(400, "UNAUTHORIZED_PRINCIPAL", "Must be an organization administrator")
	olga.PostFile("/realm/logo", nil, "logo.png", "x").Fails(400, "REQUEST_VARIABLE_MISSING", "Missing 'night' argument")
	olga.Do(http.MethodPost, "/realm/logo", params{"night": true}).Fails(400, "", "You must upload exactly one logo.")
	set(olga, "true", strings.Repeat("x", picture.MaxFile+1)).Fails(400, "", "Uploaded file is larger than the allowed limit of 5 MiB")
	set(olga, "true", "no image").Fails(400, "BAD_IMAGE", "Could not decode image; did you upload an image file?")
	set(olga, "true", "GIF89a\xff\xff\xff\xff\x00\x00\x00").Fails(400, "BAD_IMAGE", "Image size exceeds limit.")
}
