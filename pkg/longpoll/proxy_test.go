package longpoll_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"testing"
	"time"
)

// Behind a proxy that shares its connections, clients don't get responses to others' requests: the body of a poll
// doesn't become a request that consumes the next client's.
func TestSharedProxy(t *testing.T) {
	t.Parallel()
	for name, polls := range map[string]int{"the first poll": 1, "a later poll": 3} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := start(t, time.Minute)
			behind := &http.Transport{MaxConnsPerHost: 1, DisableCompression: true}
			t.Cleanup(behind.CloseIdleConnections)
			proxy := httptest.NewServer(&httputil.ReverseProxy{Transport: behind, Rewrite: func(r *httputil.ProxyRequest) {
				r.SetURL(&url.URL{Scheme: "http", Host: w.addr})
			}})
			t.Cleanup(proxy.Close)
			ask := func(target, body, secret string) string {
				t.Helper()
				clients := &http.Transport{}
				defer clients.CloseIdleConnections()
				request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, proxy.URL+target, strings.NewReader(body))
				if err != nil {
					t.Fatal(err)
				}
				request.Header.Set("X-Secret", secret)
				response, err := clients.RoundTrip(request)
				if err != nil {
					t.Fatal(err)
				}
				defer func() { _ = response.Body.Close() }()
				answer, err := io.ReadAll(response.Body)
				if err != nil {
					t.Fatal(err)
				}
				return string(answer)
			}
			// The inner request has a longer body than was sent. The next client's request would be the rest.
			const rest = "POST /other HTTP/1.1\r\nHost: chat.example\r\nContent-Length: 60\r\n\r\n"
			for n := range polls {
				body := ""
				if n == polls-1 {
					body = rest
				}
				go func() { w.news <- "news" }()
				if got := ask(fmt.Sprintf("/poll?wait=1&n=%d", n), body, ""); got != "news" {
					t.Errorf("poll %d: %s", n, got)
				}
			}
			for range 3 {
				if got := ask("/other", "", "hunter2"); got != "other GET " {
					t.Errorf("the victim gets %q", got)
				}
				if got := ask("/other", "mine", ""); got != "other GET mine" {
					t.Errorf("the attacker gets %q", got)
				}
			}
			if polls > 1 && w.left.Load() == 0 {
				t.Error("no poll has left package http")
			}
		})
	}
}
