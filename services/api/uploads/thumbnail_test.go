package uploads_test

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	_ "image/jpeg"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/pkg/user"
	"chatserver.dev/services/servicetest"
)

// thumbnail returns the address of an image in a size.
func thumbnail(uri, size string) string {
	return "/thumbnail?url=" + url.QueryEscape(uri) + "&size=" + size
}

func TestThumbnail(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	ann, bob := w.Person("Ann", actor.Member), w.Person("Bob", actor.Guest)
	photo := servicetest.Noise(t, 900, 600)
	uri := ann.Upload("Urlaub ü.png", photo)
	ann.Do(http.MethodPost, "/messages", params{"type": "private", "to": []int64{int64(bob.ID)}, "content": link(uri)}).OK()

	// Messages contain the address.
	shown := struct{ Rendered string }{}
	bob.Do(http.MethodPost, "/messages/render", params{"content": link(uri)}).OK().Decode(&shown)
	_, src, _ := strings.Cut(shown.Rendered, ` src="`)
	src, _, _ = strings.Cut(src, `"`)
	src = strings.ReplaceAll(src, "&amp;", "&")
	if src != thumbnail(strings.TrimPrefix(strings.ReplaceAll(uri, "ü", "%C3%BC"), "/"), "thumbnail") && src != thumbnail(strings.TrimPrefix(uri, "/"), "thumbnail") {
		t.Fatalf("%q in %s", src, shown.Rendered)
	}
	for range 2 {
		for _, a := range []servicetest.Account{ann, bob} {
			got := a.Page(src, nil)
			h := got.Header()
			made, kind, err := image.Decode(bytes.NewReader(got.Body.Bytes()))
			if err != nil || kind != "jpeg" || made.Bounds().Size() != image.Pt(450, 300) || h.Get("Content-Type") != "image/jpeg" {
				t.Fatalf("%s %v %v %v", kind, err, h, got.Code)
			}
			if h.Get("Cache-Control") != "private, immutable" || h.Get("Vary") != "Cookie" || h.Get("X-Content-Type-Options") != "nosniff" || h.Get("Content-Security-Policy") != policy {
				t.Errorf("%v", h)
			}
		}
	}
	full := bob.Page(thumbnail(uri, "full"), nil)
	if full.Code != http.StatusOK || full.Body.String() != photo || full.Header().Get("ETag") == bob.Page(src, nil).Header().Get("ETag") {
		t.Errorf("in full: %d %v", full.Code, full.Header())
	}

	sql := storetest.Connect(t, w.DatabaseURL)
	if used, want := storetest.Values[int64](sql, "select used from upload_space")[0], int64(len(photo)); used != want {
		t.Errorf("%d bytes are used, want %d", used, want)
	}
	if n := storetest.Values[int64](sql, "select count(*) from files")[0]; n != 2 {
		t.Errorf("%d files", n)
	}
	ann.Do(http.MethodDelete, fmt.Sprintf("/attachments/%d", files(ann)[0].ID), nil).OK()
	if got := ann.Page(src, nil); got.Code != http.StatusNotFound {
		t.Errorf("of a file that is gone: %d", got.Code)
	}
	if n := storetest.Values[int64](sql, "select count(*) from files")[0]; n != 0 {
		t.Errorf("%d files are left", n)
	}
	if err := w.Files.Clean(t.Context()); err != nil {
		t.Error(err)
	}
	if n := storetest.Values[int64](sql, "select count(*) from unkept_files")[0]; n != 0 {
		t.Errorf("%d are left in the storage", n)
	}
}

const policy = "default-src 'none'; sandbox"

// An account that may not read a file gets no thumbnail of it either, whether there is one or not.
func TestWhoGetsThumbnails(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	ann, bob, nobody := w.Person("Ann", actor.Member), w.Person("Bob", actor.Member), w.Nobody()
	uri := ann.Upload("a.png", servicetest.Noise(t, 400, 400))
	for range 2 {
		for _, size := range []string{"thumbnail", "full"} {
			is(t, "by another", bob.Page(thumbnail(uri, size), nil), http.StatusForbidden, "You are not authorized to view this file.")
			is(t, "by nobody", nobody.Page(thumbnail(uri, size), nil), http.StatusUnauthorized, "")
			is(t, "by their key", nobody.Page(thumbnail(uri, size)+"&api_key="+ann.Key, nil), http.StatusOK, "")
		}
	}
	rival := w.Account(w.NewOrg("rival"), user.Draft{FullName: "Rita", Role: actor.Member})
	is(t, "in another organization", rival.Page(thumbnail(uri, "thumbnail"), nil), http.StatusNotFound, "File not found.")
}

func is(t *testing.T, what string, got *httptest.ResponseRecorder, status int, msg string) {
	t.Helper()
	if got.Code != status || !strings.Contains(got.Body.String(), msg) {
		t.Errorf("%s: %d %.200s", what, got.Code, got.Body)
	}
}

func TestThumbnailAddresses(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	ann := w.Person("Ann", actor.Member)
	uri := ann.Upload("a.png", servicetest.Noise(t, 400, 400))
	for path, want := range map[string]string{
		"/thumbnail":                                    "400 Missing 'url' argument",
		"/thumbnail?size=full":                          "400 Missing 'url' argument",
		"/thumbnail?url=" + uri:                         "400 Missing 'size' argument",
		thumbnail(uri, "huge"):                          "403 Invalid size.",
		thumbnail("https://a.example/a.png", "huge"):    "403 Invalid size.",
		thumbnail(uri+"x", "thumbnail"):                 "404 File not found.",
		thumbnail(uri+"%zz", "thumbnail"):               "404 File not found.",
		thumbnail("/user_uploads/", "thumbnail"):        "404 File not found.",
		thumbnail("/user_uploads/../x/y/z", "full"):     "404 File not found.",
		thumbnail("/user_uploads/1/ab/\x00/a", "full"):  "404 File not found.",
		thumbnail("/etc/passwd", "full"):                "404 File not found.",
		thumbnail("file:///etc/passwd", "thumbnail"):    "404 File not found.",
		thumbnail("http://u:p@a.example/", "thumbnail"): "404 File not found.",
		thumbnail("//evil.example/a.png", "thumbnail"):  "404 File not found.",
		thumbnail("javascript:alert(1)", "thumbnail"):   "404 File not found.",
	} {
		got := ann.Page(path, nil)
		if answer := fmt.Sprintf("%d %s", got.Code, got.Body); !strings.HasPrefix(answer, want[:4]) || !strings.Contains(answer, `"msg":"`+want[4:]+`"`) {
			t.Errorf("%s: %s", path, answer)
		}
	}
	for _, size := range []string{"full", "thumbnail"} {
		got := ann.Page(thumbnail("https://a.example/a.png", size), nil)
		if at := got.Header().Get("Location"); got.Code != http.StatusFound || !strings.HasPrefix(at, "/external_content/") {
			t.Errorf("another server's image: %d %q", got.Code, at)
		}
	}
}

// An image without a smaller picture is shown itself, which is decided at once. Images that take browsers gigabytes,
// or whose size is unknown, aren't shown to readers who only request the message.
func TestNoThumbnail(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	ann := w.Person("Ann", actor.Member)
	sql := storetest.Connect(t, w.DatabaseURL)
	for name, c := range map[string]struct {
		content string
		hidden  bool
	}{
		"a large one":            {servicetest.Noise(t, 400, 400), false},
		"not an image":           {png, true},
		"nothing of an image":    {"\xff\xd8\xff", true},
		"a bomb":                 {servicetest.Bomb(), true},
		"a small one":            {servicetest.PNG(t, 1, 1, color.Black), false},
		"one that moves":         {"GIF89a\x01\x00\x01\x00\x00\x00\x00,\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02D\x01\x00;", false},
		"one that moves, a bomb": {"GIF89a\x01\x00\x01\x00\x00\x00\x00,\x00\x00\x00\x00\xff\xff\xff\xff\x00\x02\x02D\x01\x00;", true},
		"a document":             {"%PDF-1.7", false},
		"a script":               {"<script>alert(1)</script>", false},
		"nothing":                {"", false},
		"an image cut in half":   {servicetest.Noise(t, 400, 400)[:30_000], false},
	} {
		uri := ann.Upload("a.png", c.content)
		if name == "a large one" { // more than is read into memory
			sql.Exec("update attachments set size = (16 << 20) + 1 where path || '/a.png' = $1", strings.TrimPrefix(uri, "/user_uploads/"))
		}
		file := ann.Page(uri, nil)
		if file.Code != http.StatusOK || file.Body.String() != c.content {
			t.Errorf("%s, the file itself: %d", name, file.Code)
		}
		for range 2 {
			got := ann.Page(thumbnail(uri, "thumbnail"), nil)
			if c.hidden {
				if got.Code != http.StatusBadRequest || !strings.Contains(got.Body.String(), "too many pixels") {
					t.Errorf("%s: %d %s", name, got.Code, got.Body)
				}
			} else if got.Code != http.StatusOK || got.Body.String() != c.content || fmt.Sprint(got.Header()) != fmt.Sprint(file.Header()) {
				t.Errorf("%s: %d %v", name, got.Code, got.Header())
			}
		}
	}
	if n := storetest.Values[int64](sql, "select count(*) from attachments where thumbnail_type = '' and thumbnail_path is null")[0]; n != 5 {
		t.Errorf("%d are known to have none", n)
	}
	if n := storetest.Values[int64](sql, "select count(*) from files")[0] - storetest.Values[int64](sql, "select count(*) from attachments")[0]; n != 0 {
		t.Errorf("%d thumbnails", n)
	}
}

// A thumbnail is made once, even for concurrent requests at several processes.
func TestThumbnailOnce(t *testing.T) {
	t.Parallel()
	w := servicetest.New(t)
	ann := w.Person("Ann", actor.Member)
	uri := ann.Upload("a.png", servicetest.Noise(t, 1500, 1500))
	sizes, all := make(chan int, 40), sync.WaitGroup{}
	for range cap(sizes) {
		all.Go(func() { sizes <- ann.Page(thumbnail(uri, "thumbnail"), nil).Body.Len() })
	}
	all.Wait()
	close(sizes)
	first := <-sizes
	for size := range sizes {
		if size != first || size == 0 {
			t.Errorf("%d bytes, and %d", size, first)
		}
	}
	sql := storetest.Connect(t, w.DatabaseURL)
	if n := storetest.Values[int64](sql, "select count(*) from files")[0]; n != 2 {
		t.Errorf("%d files", n)
	}
	if n := storetest.Values[int64](sql, "select count(*) from unkept_files")[0]; n != 0 {
		t.Errorf("%d were made in vain", n)
	}
}
