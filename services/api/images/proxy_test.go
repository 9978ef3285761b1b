package images_test

import (
	"encoding/binary"
	"net/http"
	"strings"
	"syscall"
	"testing"

	"chatserver.dev/pkg/limit"
	"chatserver.dev/services/api/images"
)

// avif returns the beginning of an image in AVIF with a size.
func avif(width, height uint32) string {
	head := []byte("\x00\x00\x00\x14ftypavif\x00\x00\x00\x00avif\x00\x00\x00\x1cmeta\x00\x00\x00\x14ispe\x00\x00\x00\x00")
	return string(binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(head, width), height))
}

func TestImages(t *testing.T) {
	t.Parallel()
	files := map[string]string{
		"/a.png":     png,
		"/a.jpg":     "\xff\xd8\xff\xe2\x27\x10" + strings.Repeat("x", 9_998) + "\xff\xc0\x00\x0b\x08\x00\x01\x00\x01\x01\x01\x11\x00 and what follows of it",
		"/a.gif":     "GIF89a\x01\x00\x01\x00\x00\x00\x00,\x00\x00\x00\x00\x01\x00\x01\x00\x00 and what follows of it",
		"/a.webp":    "RIFF\x1a\x00\x00\x00WEBPVP8L\x0d\x00\x00\x00\x2f\x00\x00\x00\x00 and what follows of it",
		"/a.avif":    avif(1, 1) + "and what follows of it",
		"/large.png": png + strings.Repeat("x", maxBytes-len(png)),
	}
	w := newWorld(t, func(rw http.ResponseWriter, r *http.Request) {
		rw.Header().Set("Content-Type", "text/html") // its declared type doesn't matter
		rw.Header().Set("Set-Cookie", "a=b")
		rw.Header().Set("Content-Security-Policy", "script-src *")
		_, _ = rw.Write([]byte(files[r.URL.Path]))
	}, nil)
	for path, kind := range map[string]string{
		"/a.png": "png", "/a.jpg": "jpeg", "/a.gif": "gif", "/a.webp": "webp", "/a.avif": "avif", "/large.png": "png",
	} {
		got := w.image(path)
		if got.status != http.StatusOK || got.err != nil || got.body != files[path] {
			t.Errorf("%s: %d %v %.200q", path, got.status, got.err, got.body)
		}
		for name, want := range map[string]string{
			"Content-Type": "image/" + kind, "Content-Security-Policy": "default-src 'none'; sandbox", "X-Content-Type-Options": "nosniff",
			"Content-Disposition": `inline; filename="image.` + strings.Replace(kind, "jpeg", "jpg", 1) + `"`,
			"Cache-Control":       "public, max-age=86400, immutable", "Set-Cookie": "",
		} {
			if got.header.Get(name) != want {
				t.Errorf("%s: %s is %q, want %q", path, name, got.header.Get(name), want)
			}
		}
	}
	if sent := w.count("sent"); sent != len(files) {
		t.Errorf("%d images were sent", sent)
	}
	r, err := http.Head(w.signed(w.target.URL + "/a.png"))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	if r.StatusCode != http.StatusOK || r.Header.Get("Content-Type") != "image/png" {
		t.Errorf("HEAD: %v", r)
	}
}

// The target gets no information about the reader, not even the page that the redirect came from.
func TestRequest(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(rw http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/from.png" {
			rw.Header().Set("Set-Cookie", "tracked=1")
			http.Redirect(rw, r, "/to.png", http.StatusFound)
			return
		}
		_, _ = rw.Write([]byte(png))
	}, nil)
	got := w.get(w.signed(w.target.URL+"/from.png"), "Cookie", "session=1", "Authorization", "Basic YTpi", "Referer", "http://chat.example/",
		"X-Forwarded-For", "192.0.2.1", "Accept-Language", "de", "Range", "bytes=0-3", "If-None-Match", `"a"`, "User-Agent", "Reader/1")
	if got.status != http.StatusOK || got.body != png {
		t.Errorf("%+v", got)
	}
	if len(w.asked) != 2 {
		t.Fatalf("%d requests", len(w.asked))
	}
	for _, r := range w.asked {
		if len(r.Header) != 3 || !strings.HasPrefix(r.UserAgent(), "chatserver-images/") || r.Header.Get("Accept") != "image/png, image/jpeg, image/gif, image/webp, image/avif" ||
			r.Header.Get("Connection") != "close" || r.Method != http.MethodGet {
			t.Errorf("%s %s %v", r.Method, r.URL, r.Header)
		}
	}
}

func TestSignature(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(rw http.ResponseWriter, _ *http.Request) { _, _ = rw.Write([]byte(png)) }, nil)
	good := w.signed(w.target.URL + "/a.png")
	cut := strings.LastIndexByte(good, '/')
	other := w.signed(w.target.URL + "/b.png")
	for name, address := range map[string]string{
		"another address's digest": other[:cut] + good[cut:], "another digit": good[:cut-1] + "x" + good[cut:], "none": w.url + "/external_content//" + good[cut+1:],
		"no address": good[:cut+1], "a longer path": good + "/x", "an address in clear": good[:cut+1] + "http:%2f%2f" + w.target.Listener.Addr().String() + "%2fa.png",
	} {
		got := w.get(address)
		if got.status != http.StatusNotFound {
			t.Errorf("%s: %d %q", name, got.status, got.body)
		}
	}
	if got := w.get(good[:len(good)-2]); got.status != http.StatusNotFound || got.body != `{"result":"error","msg":"Not Found","code":"NOT_FOUND"}`+"\n" {
		t.Errorf("%d %q", got.status, got.body)
	}
	if w.requests() > 0 {
		t.Errorf("asked for %s", w.asked[0].URL)
	}
}

// An address that leads back to the proxy doesn't cause a loop.
func TestLoop(t *testing.T) {
	t.Parallel()
	var w *world
	w = newWorld(t, func(rw http.ResponseWriter, r *http.Request) {
		http.Redirect(rw, r, w.signed(w.target.URL+"/a.png"), http.StatusFound)
	}, func(_ *world, d *images.Deps) {
		d.Permit = func(string, string, syscall.RawConn) error { return nil }
	})
	w.isRefused("a loop", w.image("/a.png"))
	if w.requests() != 1 {
		t.Errorf("%d requests", w.requests())
	}
}

func TestRate(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(rw http.ResponseWriter, _ *http.Request) { _, _ = rw.Write([]byte(png)) },
		func(_ *world, d *images.Deps) { d.Rate = limit.Rule{Calls: 2, Window: 1 << 40} })
	address := w.signed(w.target.URL + "/a.png")
	get := func(reader string, want int) {
		t.Helper()
		if got := w.get(address, "X-Forwarded-For", reader); got.status != want || want != http.StatusOK && got.header.Get("Retry-After") == "" {
			t.Errorf("%s: %d %v, want %d", reader, got.status, got.header, want)
		}
	}
	get("192.0.2.1", http.StatusOK)
	get("192.0.2.1", http.StatusOK)
	get("192.0.2.1", http.StatusTooManyRequests)
	get("198.51.100.7, 192.0.2.1", http.StatusTooManyRequests) // only the last address, which the proxy added, counts
	get("192.0.2.2", http.StatusOK)
	get("2001:db8::1", http.StatusOK)
	get("2001:db8::2", http.StatusOK)
	get("2001:db8::3", http.StatusTooManyRequests) // a network counts as one reader
	get("nonsense", http.StatusOK)                 // as do readers without an address
	get("", http.StatusOK)
	get("more nonsense", http.StatusTooManyRequests)
}
