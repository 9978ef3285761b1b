package admin_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
	"time"

	"chatserver.dev/pkg/adminapi"
	"chatserver.dev/pkg/adminclient"
	"chatserver.dev/services/admin"
)

// An answer that is cut off isn't one that can't be decoded.
func TestLargeAnswers(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		for part := make([]byte, 1<<20); ; {
			if _, err := w.Write(part); err != nil {
				return
			}
		}
	}))
	t.Cleanup(server.Close)
	_, err := must(adminclient.New(server.URL, token, nil))(t).Status(t.Context())
	if want := "the answer of GET " + server.URL + "/admin/v1/status is larger than 64 MiB"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// A part of a path that is . or .. would name another object, which a client that follows redirects would then change or delete.
func TestPathsThatNameOthers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.made()
	for _, refused := range []string{"", ".", ".."} {
		if _, err := w.Streams(key).Delete(t.Context(), refused); err == nil {
			t.Errorf("a stream with the key %q was deleted", refused)
		}
		if _, err := w.Streams(key).Put(t.Context(), refused, adminapi.StreamSpec{Name: new("alerts")}); err == nil {
			t.Errorf("a stream with the key %q was written", refused)
		}
	}
	for _, path := range []string{"/streams/..", "/streams/../", "/streams/./", "//streams/x", "/streams/"} {
		path = admin.Prefix + "/organizations/" + url.PathEscape(key) + path
		if status, code, _ := w.raw(http.MethodDelete, path, ""); status != http.StatusNotFound || code != "NOT_FOUND" {
			t.Errorf("%s: %d, %s", path, status, code)
		}
	}
	path := admin.Prefix + "/organizations/" + url.PathEscape(key) + "/streams/%2e%2e"
	if status, _, msg := w.raw(http.MethodPut, path, `{"name": "alerts"}`); status != http.StatusBadRequest {
		t.Errorf("%s: %d, %s", path, status, msg)
	}
	if state, err := w.Organization(t.Context(), key); err != nil || state.Name != "Engineering" {
		t.Errorf("the organization is %+v, %v", state, err)
	}
}

// A PUT or DELETE that is redirected becomes a GET, whose answer looks like success; and the token goes wherever the redirect says.
func TestRedirectsAreNotFollowed(t *testing.T) {
	t.Parallel()
	called := false
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/elsewhere" {
			called = true
			_, _ = io.WriteString(w, "{}")
			return
		}
		http.Redirect(w, r, "/elsewhere", http.StatusMovedPermanently)
	}))
	t.Cleanup(proxy.Close)
	for _, own := range []*http.Client{nil, {Timeout: time.Minute}} {
		client := must(adminclient.New(proxy.URL, token, own))(t)
		_, err := client.Streams(key).Delete(t.Context(), "k")
		fails(err, err)(t, http.StatusMovedPermanently, "", "the server redirects to /elsewhere: check its address")
	}
	if called {
		t.Error("the redirect was followed")
	}
}
