package endpoint_test

import (
	"context"
	"errors"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/longpoll"
	"chatserver.dev/pkg/permit"
)

type lateParams struct{}

// A late response is like any other: in the envelope, with all headers, observed once.
func TestLate(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		body   string
		err    error
		panics bool
		status int
		want   string
	}{
		{"success", `{"late":true}`, nil, false, 200, `{"late":true}`},
		{"a fault", "", fault.New(fault.Invalid, "GONE", "It is gone"), false, 400, `{"result":"error","msg":"It is gone","code":"GONE"}`},
		{"an error", "", errors.New("broken"), false, 500, `{"result":"error","msg":"Internal server error"}`},
		{"a panic", "", nil, true, 500, `{"result":"error","msg":"Internal server error"}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			parked, observed := longpoll.Answer(nil), []int(nil)
			handler := serveWith(t, endpoint.Config{
				Now:     time.Now,
				Observe: func(_ context.Context, _ string, status int, _ time.Duration) { observed = append(observed, status) },
				Park: func(_ http.ResponseWriter, _ *http.Request, answer longpoll.Answer) bool {
					parked = answer
					return true
				},
			}, lately(func(_ context.Context, to *endpoint.Sender) ([]byte, bool, error) {
				if test.panics {
					panic("late")
				}
				return append(to.Memory(), test.body...), true, test.err
			}))
			first, second := httptest.NewRecorder(), httptest.NewRecorder()
			handler.ServeHTTP(first, lateRequest(t))
			if first.Body.Len() > 0 || len(observed) > 0 || parked == nil {
				t.Fatalf("it was answered at once: %s, %v", first.Body, observed)
			}
			maps.Copy(second.Header(), first.Header())
			if !parked(t.Context(), second, nil) {
				t.Error("it still waits")
			}
			if got := strings.TrimSpace(second.Body.String()); second.Code != test.status || got != test.want {
				t.Errorf("%d %s; want %d %s", second.Code, got, test.status, test.want)
			}
			for name, want := range map[string]string{
				"Content-Type": "application/json", "X-Request-Id": "mine", "X-Ratelimit-Remaining": "199",
				"Cache-Control": "max-age=0, no-cache, no-store, must-revalidate",
			} {
				if got := second.Header().Get(name); got != want {
					t.Errorf("%s: %q, want %q", name, got, want)
				}
			}
			if len(observed) != 1 || observed[0] != test.status {
				t.Errorf("observed %v", observed)
			}
		})
	}
}

// If the connection can't be taken over, the request waits in its handler, with its own context.
func TestLateImpossible(t *testing.T) {
	t.Parallel()
	for name, park := range map[string]func(http.ResponseWriter, *http.Request, longpoll.Answer) bool{
		"nobody is there": nil,
		"refused": func(http.ResponseWriter, *http.Request, longpoll.Answer) bool {
			return false
		},
	} {
		handler, answer := serveWith(t, endpoint.Config{Now: time.Now, Park: park}, lately(func(ctx context.Context, to *endpoint.Sender) ([]byte, bool, error) {
			if _, ok := endpoint.Caller(ctx); !ok {
				t.Errorf("%s: the caller isn't known", name)
			}
			return append(to.Memory(), `{"now":true}`...), true, ctx.Err()
		})), httptest.NewRecorder()
		handler.ServeHTTP(answer, lateRequest(t))
		if got := answer.Body.String(); got != `{"now":true}` {
			t.Errorf("%s: %s", name, got)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		gone := httptest.NewRecorder()
		if handler.ServeHTTP(gone, lateRequest(t).WithContext(ctx)); gone.Body.Len() > 0 {
			t.Errorf("%s, for a client that has gone: %s", name, gone.Body)
		}
	}
}

// lately returns an endpoint that waits for its response.
func lately(wait endpoint.Wait) endpoint.Endpoint {
	return endpoint.Raw(endpoint.About{Route: "GET /events", Who: permit.Anyone},
		func(context.Context, actor.Actor, lateParams) ([]byte, endpoint.Deferred, error) {
			return nil, wait, nil
		})
}

func lateRequest(t *testing.T) *http.Request {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+host+"/api/v1/events", nil)
	r.Header.Set("Authorization", basic(key("m")))
	r.Header.Set("X-Request-Id", "mine")
	return r
}

// A request that may wait has no body, which would be held in memory meanwhile.
func TestLateBody(t *testing.T) {
	t.Parallel()
	s := serve(t, lately(nil))
	for _, length := range []int64{-1, 5} {
		r := lateRequest(t)
		r.Body, r.ContentLength = io.NopCloser(strings.NewReader("hello")), length
		want(t, s.do(r), 400, badRequest("This request must not have a body: send the parameters in the query string"))
	}
}
