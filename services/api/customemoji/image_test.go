package customemoji_test

import (
	"bytes"
	"image"
	"image/color"
	"image/gif"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/services/servicetest"
)

func number(n int64) string { return strconv.FormatInt(n, 10) }

func TestImage(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	ann := w.Person("Ann", actor.Member)
	moving, file := &gif.GIF{}, bytes.Buffer{}
	for range 2 {
		moving.Image = append(moving.Image, image.NewPaletted(image.Rect(0, 0, 20, 20), color.Palette{red(), color.Black}))
		moving.Delay = append(moving.Delay, 10)
	}
	if err := gif.EncodeAll(&file, moving); err != nil {
		t.Fatal(err)
	}
	ann.PostFile("/realm/emoji/moving", nil, "a.gif", file.String()).OK()
	url := list(ann)["moving"]["source_url"].(string)
	nobody := w.Nobody()
	if got := nobody.Page(url, nil); got.Code != http.StatusOK || got.Header().Get("Content-Type") != "image/gif" ||
		got.Header().Get("Cache-Control") != "public, max-age=31536000, immutable" || !strings.HasSuffix(url, ".gif") {
		t.Errorf("%s: %d %v", url, got.Code, got.Header())
	}
	folder, name := url[:strings.LastIndexByte(url, '/')+1], url[strings.LastIndexByte(url, '/')+1:]
	stranger := w.NewOrg("elsewhere")
	for _, path := range []string{
		strings.Replace(url, ".gif", ".png", 1), strings.TrimSuffix(url, ".gif"), url + ".gif", folder + "0.gif", folder + "-1.gif", folder + "x.gif", folder + "987654321.gif",
		folder + "..%2F..%2F" + name, "/user_avatars/0/emoji/images/" + name, "/user_avatars/x/emoji/images/" + name,
		"/user_avatars/" + number(int64(stranger.ID)) + "/emoji/images/" + name, folder + "%00.gif",
	} {
		if got := nobody.Page(path, nil); got.Code != http.StatusNotFound {
			t.Errorf("%s: %d %s", path, got.Code, got.Body)
		}
	}
}
