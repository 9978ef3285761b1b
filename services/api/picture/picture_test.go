package picture_test

import (
	"image/png"
	"net/http"
	"net/http/httptest"
	"testing"

	"chatserver.dev/services/api/picture"
)

func TestHandler(t *testing.T) {
	t.Parallel()
	mux := http.NewServeMux()
	mux.Handle("GET /avatar/{user_id}", (&picture.Drawer{}).Handler("user", "user_id"))
	mux.Handle("GET /avatar/{user_id}/medium", (&picture.Drawer{}).Handler("user", "user_id"))
	get := func(path string) *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		mux.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil))
		return w
	}
	const forever, never = "public, max-age=31536000, immutable", "private, no-cache"
	for path, want := range map[string]struct {
		size  int
		cache string
	}{
		"/avatar/7?v=1": {100, forever}, "/avatar/7?v=1&size=medium": {500, forever}, "/avatar/7/medium?v=1": {500, forever},
		"/avatar/7": {100, never}, "/avatar/7?size=medium": {500, never},
	} {
		w := get(path)
		picture, err := png.Decode(w.Body)
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		if picture.Bounds().Dx() != want.size {
			t.Errorf("%s: %v", path, picture.Bounds())
		}
		if w.Header().Get("Content-Type") != "image/png" || w.Header().Get("Cache-Control") != want.cache {
			t.Errorf("%s: headers %v", path, w.Header())
		}
	}
	if get("/avatar/7?v=1").Body.String() == get("/avatar/8?v=1").Body.String() {
		t.Error("7 and 8 look the same")
	}
	for _, path := range []string{"/avatar/x", "/avatar/0", "/avatar/-3", "/avatar/99999999999999999999", "/avatar/ada@chat.example", "/avatar/x/medium"} {
		if w := get(path); w.Code != http.StatusNotFound || w.Header().Get("Content-Type") != "application/json" ||
			w.Body.String() != `{"result":"error","msg":"Not Found","code":"NOT_FOUND"}`+"\n" {
			t.Errorf("%s: %d %s", path, w.Code, w.Body)
		}
	}
}
