package endpoint_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"chatserver.dev/pkg/endpoint"
)

// TestOverTheWire sends real HTTP requests, because a recorder accepts more.
func TestOverTheWire(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(serve(t, echo[sendParams]("DELETE /x"), echo[none]("GET /x")))
	t.Cleanup(server.Close)
	for _, c := range []struct {
		method, body string
		status       int
		answer       string
	}{
		{http.MethodDelete, "type=a&content=b", 200, sent("a", "b") + "\n"},
		{http.MethodGet, "", 200, `{"result":"success","msg":"","in":{}}` + "\n"},
		{http.MethodHead, "", 200, ""},
		{http.MethodOptions, "", 204, ""},
		{http.MethodDelete, strings.Repeat("a", endpoint.SmallBody+1), 413, `{"result":"error","msg":"The request's body is too large","code":"REQUEST_TOO_LARGE","max_bytes":65536}` + "\n"},
	} {
		r, err := http.NewRequestWithContext(t.Context(), c.method, server.URL+"/api/v1/x", strings.NewReader(c.body))
		if err != nil {
			t.Fatal(err)
		}
		r.Host = host
		r.Header.Set("Authorization", basic(key("m")))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("X-Request-Id", "wire-1")
		answer, err := server.Client().Do(r)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(answer.Body)
		if err != nil {
			t.Fatal(err)
		}
		if err := answer.Body.Close(); err != nil {
			t.Fatal(err)
		}
		if got := answer.Header.Values("X-Request-Id"); len(got) != 1 || got[0] != "wire-1" {
			t.Errorf("%s: request id %q", c.method, got)
		}
		if answer.StatusCode != c.status || string(text) != c.answer {
			t.Errorf("%s: %d %q, want %d %q", c.method, answer.StatusCode, text, c.status, c.answer)
		}
	}
}
