package images_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"chatserver.dev/pkg/testbed"
	"chatserver.dev/services/api/images"
	"chatserver.dev/services/servicetest"
)

// A file that isn't an image, whatever its type is, isn't sent to a reader.
func TestOtherContent(t *testing.T) {
	t.Parallel()
	bomb := bytes.Buffer{}
	packer := gzip.NewWriter(&bomb)
	_, _ = packer.Write([]byte(png + strings.Repeat("\x00", 512<<10)))
	packer.Close()
	const svg = `<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>`
	bodies := map[string]string{
		"/svg": svg, "/xml": `<?xml version="1.0"?>` + svg, "/html": "<!doctype html><script>alert(1)</script>", "/json": `{"a": "GIF89a"}`,
		"/pixels": servicetest.Bomb(), "/pixels.avif": avif(20_000, 20_000), "/film.avif": strings.ReplaceAll(avif(1, 1), "avif", "avis"),
		"/pixels.gif": "GIF89a\x01\x00\x01\x00\x00\x00\x00,\x00\x00\x00\x00\xff\xff\xff\xff\x00", "/unknown.gif": "GIF89a\x01\x00\x01\x00\x00\x00\x00" + strings.Repeat("!\xfe\x01x\x00", 60_000),
		"/empty": "", "/short": "GIF89a", "/pdf": "%PDF-1.7 and what follows", "/bmp": "BM and what follows of it", "/mp4": "\x00\x00\x00\x1cftypisom and what follows",
		"/wav": "RIFF\x00\x00\x00\x00WAVEfmt and what follows", "/late": " \n" + png,
	}
	w := newWorld(t, func(rw http.ResponseWriter, r *http.Request) {
		rw.Header().Set("Content-Type", "image/png")
		status := http.StatusOK
		switch r.URL.Path {
		case "/gzip":
			rw.Header().Set("Content-Encoding", "gzip")
			_, _ = rw.Write(bomb.Bytes())
			return
		case "/encoded":
			rw.Header().Set("Content-Encoding", "br")
			bodies[r.URL.Path] = png
		case "/huge":
			rw.Header().Set("Content-Length", strconv.Itoa(maxBytes+1))
			bodies[r.URL.Path] = png + strings.Repeat("x", maxBytes+1-len(png))
		case "/half":
			rw.Header().Set("Content-Length", strconv.Itoa(2*len(png)))
		case "/404", "/500", "/206", "/304":
			_, _ = fmt.Sscan(r.URL.Path[1:], &status)
		case "/header":
			rw.Header().Set("X-Long", strings.Repeat("x", 64<<10))
		case "/gone":
			panic(http.ErrAbortHandler)
		}
		rw.WriteHeader(status)
		if body, ok := bodies[r.URL.Path]; ok {
			_, _ = rw.Write([]byte(body))
		} else if status != http.StatusNotModified {
			_, _ = rw.Write([]byte(png))
		}
	}, nil)
	paths := []string{"/gzip", "/encoded", "/huge", "/half", "/404", "/500", "/206", "/304", "/header", "/gone"}
	for path := range bodies {
		paths = append(paths, path)
	}
	for _, path := range paths {
		got := w.image(path)
		w.isRefused(path, got)
		if got.header.Get("Cache-Control") != "public, max-age=30" {
			t.Errorf("%s: Cache-Control is %q", path, got.header.Get("Cache-Control"))
		}
	}
	if failed := w.count("failed"); failed != len(paths) {
		t.Errorf("%d of %d failed", failed, len(paths))
	}
}

// The largest image is served, also by a server that says that it isn't encoded.
func TestLargest(t *testing.T) {
	t.Parallel()
	largest := png + strings.Repeat("x", maxBytes-len(png))
	w := newWorld(t, func(rw http.ResponseWriter, _ *http.Request) {
		rw.Header().Set("Content-Encoding", "identity")
		rw.Header().Set("Content-Length", strconv.Itoa(len(largest)))
		_, _ = rw.Write([]byte(largest))
	}, nil)
	if got := w.image("/largest.png"); got.status != http.StatusOK || got.err != nil || got.body != largest {
		t.Errorf("%d, %d bytes, %v", got.status, len(got.body), got.err)
	}
}

// A server whose answer isn't used is disconnected, so that it holds no connection.
func TestRefusedIsDisconnected(t *testing.T) {
	t.Parallel()
	disconnected := make(chan struct{})
	w := newWorld(t, func(rw http.ResponseWriter, r *http.Request) {
		defer close(disconnected)
		_, _ = rw.Write([]byte("not an image " + strings.Repeat("x", 8<<10)))
		_ = http.NewResponseController(rw).Flush()
		<-r.Context().Done()
	}, nil)
	w.isRefused("no image", w.image("/a.png"))
	select {
	case <-disconnected:
	case <-time.After(20 * time.Second):
		t.Error("the connection is still there")
		w.target.CloseClientConnections()
	}
}

// A failed image isn't fetched again at once.
func TestFailuresAreRemembered(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(rw http.ResponseWriter, _ *http.Request) { rw.WriteHeader(http.StatusNotFound) }, nil)
	for range 5 {
		w.isRefused("an image that isn't there", w.image("/a.png"))
	}
	if w.requests() != 1 {
		t.Errorf("asked for %d times", w.requests())
	}
}

// A failed image is fetched again half a minute later, although readers ask for it all the time.
func TestFailuresAreForgotten(t *testing.T) {
	t.Parallel()
	clock, mended := testbed.NewClock(time.Now()), atomic.Bool{}
	w := newWorld(t, func(rw http.ResponseWriter, _ *http.Request) {
		if !mended.Load() {
			rw.WriteHeader(http.StatusNotFound)
			return
		}
		_, _ = rw.Write([]byte(png))
	}, func(_ *world, d *images.Deps) { d.Now = clock.Now })
	w.isRefused("an image that isn't there", w.image("/a.png"))
	mended.Store(true)
	for range 2 {
		clock.Advance(14 * time.Second)
		w.isRefused("an image that wasn't there just now", w.image("/a.png"))
	}
	clock.Advance(3 * time.Second)
	if got := w.image("/a.png"); got.status != http.StatusOK || w.requests() != 2 {
		t.Errorf("%d %q after %d requests", got.status, got.body, w.requests())
	}
}

// However many addresses fail, few are remembered.
func TestFailuresAreFew(t *testing.T) {
	t.Parallel()
	failures := images.NewFailures(time.Now)
	for n := range 2*images.MaxFailures + 1 {
		failures.Note(strconv.Itoa(n))
		if kept := failures.Len(); kept > images.MaxFailures {
			t.Fatalf("%d are remembered after %d", kept, n+1)
		}
		if n < images.MaxFailures && !failures.Has("0") {
			t.Fatalf("the first one isn't remembered after %d", n+1)
		}
	}
	if !failures.Has(strconv.Itoa(2 * images.MaxFailures)) {
		t.Error("the last one isn't remembered")
	}
}

// An endless body is cut off when it is too large, and the reader notices that.
func TestTooMuch(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(rw http.ResponseWriter, r *http.Request) {
		_, _ = rw.Write([]byte(png))
		for r.Context().Err() == nil {
			if _, err := rw.Write(make([]byte, 4<<10)); err != nil {
				return
			}
		}
	}, nil)
	if got := w.image("/endless.png"); got.err == nil || len(got.body) > maxBytes {
		t.Errorf("%d bytes, %v", len(got.body), got.err)
	}
	if w.count("cut") != 1 {
		t.Errorf("%v", w.outcomes)
	}
}

// Fetching from a server that doesn't respond, or that sends a byte at a time, ends after the time limit.
func TestTooSlow(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(rw http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/silent.png":
			<-r.Context().Done()
		case "/head.png":
			rw.WriteHeader(http.StatusOK)
			_ = http.NewResponseController(rw).Flush()
			<-r.Context().Done()
		default:
			_, _ = rw.Write([]byte(png + strings.Repeat("x", 8<<10))) // more than is buffered before it is sent
			for r.Context().Err() == nil {
				_, _ = rw.Write([]byte("x"))
				_ = http.NewResponseController(rw).Flush()
				time.Sleep(5 * time.Millisecond)
			}
		}
	}, func(_ *world, d *images.Deps) { d.BeginTime = 300 * time.Millisecond })
	w.isRefused("no answer", w.image("/silent.png"))
	w.isRefused("no body", w.image("/head.png"))
	if got := w.image("/trickle.png"); got.err == nil || got.status != http.StatusOK {
		t.Errorf("a byte at a time: %d %v, %d bytes", got.status, got.err, len(got.body))
	}
}

// One server that doesn't respond uses only few of the turns, so that other images are fetched meanwhile.
func TestTurns(t *testing.T) {
	t.Parallel()
	stuck := make(chan struct{})
	w := newWorld(t, func(rw http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/stuck") {
			<-stuck
		}
		_, _ = rw.Write([]byte(png))
	}, nil)
	answers := make(chan answer)
	const readers = 20
	_, port, err := net.SplitHostPort(w.target.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	for i := range readers {
		host := []string{"localhost", "LOCALHOST", "Localhost"}[i%3] // one server, however it is written
		go func() { answers <- w.get(w.signed(fmt.Sprintf("http://%s:%s/stuck%d.png", host, port, i))) }()
	}
	for w.requests() < 8 {
		time.Sleep(time.Millisecond)
	}
	if got := w.image("/a.png"); got.status != http.StatusOK {
		t.Errorf("of another host: %d %q", got.status, got.body)
	}
	if asked := w.requests(); asked != 9 {
		t.Errorf("%d requests are under way", asked)
	}
	close(stuck)
	for range readers {
		if got := <-answers; got.status != http.StatusOK || got.body != png {
			t.Errorf("%d %q", got.status, got.body)
		}
	}
}
