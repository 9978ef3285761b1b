package endpoint_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/limit"
	"chatserver.dev/pkg/permit"
)

// budget is a limiter that allows a number of calls, whoever makes them.
type budget struct{ left int }

func (b *budget) Allow(context.Context, id.User, time.Time) limit.Decision {
	b.left--
	return limit.Decision{Allowed: b.left >= 0}
}

func loggedIn() []endpoint.Endpoint {
	answer := func(context.Context, actor.Actor, struct{}) (endpoint.Nothing, error) { return endpoint.Nothing{}, nil }
	about := func(route string) endpoint.About {
		return endpoint.About{Route: route, Who: permit.Anyone}
	}
	return []endpoint.Endpoint{endpoint.New(about("GET /mine"), answer), endpoint.Hook(about("POST /hook"), answer)}
}

// Refused logins beyond the budget take a second each. Other calls aren't delayed, and neither are failures of the
// server.
func TestRefusalsArePaced(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		allowed := &budget{left: 2}
		s := serveWith(t, endpoint.Config{Refusals: allowed}, loggedIn()...)
		ask := func(request *http.Request) (status int, took time.Duration) {
			start, w := time.Now(), httptest.NewRecorder()
			request.Host = host
			s.ServeHTTP(w, request)
			return w.Code, time.Since(start)
		}
		mine := func(authorization string) *http.Request {
			request := httptest.NewRequest(http.MethodGet, "/api/v1/mine", nil)
			request.Header.Set("Authorization", authorization)
			return request
		}
		for i, c := range []struct {
			name    string
			request *http.Request
			status  int
			took    time.Duration
		}{
			{"the first", mine(basic(key("u"))), 401, 0},
			{"a valid key", mine(basic(key("m"))), 200, 0},
			{"the second", mine("Basic nonsense"), 401, 0},
			{"too many: an unknown key", mine(basic(key("u"))), 401, time.Second},
			{"too many: no key", mine(""), 401, time.Second},
			{"too many: a deactivated account", mine(basic(key("d"))), 401, time.Second},
			{"too many: in a form", form("/api/v1/hook", "api_key="+key("u")), 401, time.Second},
			{"a valid key meanwhile", mine(basic(key("m"))), 200, 0},
			{"a valid key that isn't for this", mine(basic(key("h"))), 401, 0},
			{"a failure of the server", mine(basic(key("x"))), 500, 0},
		} {
			if status, took := ask(c.request); status != c.status || took != c.took {
				t.Errorf("%d, %s: %d after %v, want %d after %v", i, c.name, status, took, c.status, c.took)
			}
		}
		if allowed.left != -4 {
			t.Errorf("%d refusals were counted, want 6", 2-allowed.left)
		}
	})
}

// Many refusals can wait at the same time. They end early if their connection is needed or their client disconnects.
func TestRefusalsEndEarly(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		resting, needed := 0, make(chan struct{})
		mutex := sync.Mutex{}
		rest := func(context.Context) (<-chan struct{}, func()) {
			mutex.Lock()
			defer mutex.Unlock()
			resting++
			return needed, func() {
				mutex.Lock()
				defer mutex.Unlock()
				resting--
			}
		}
		s := serveWith(t, endpoint.Config{Refusals: &budget{}, Release: rest}, loggedIn()...)
		ctx, leave := context.WithCancel(t.Context())
		begin := func(ctx context.Context) (took chan time.Duration) {
			took = make(chan time.Duration, 1)
			start := time.Now()
			go func() {
				request := httptest.NewRequestWithContext(ctx, http.MethodGet, "/api/v1/mine", nil)
				request.Host = host
				s.ServeHTTP(httptest.NewRecorder(), request)
				took <- time.Since(start)
			}()
			synctest.Wait()
			return took
		}
		gone, closed := begin(ctx), begin(t.Context())
		if resting != 2 {
			t.Errorf("%d connections can make room, want 2", resting)
		}
		time.Sleep(100 * time.Millisecond)
		leave()
		if took := <-gone; took != 100*time.Millisecond {
			t.Errorf("a client that went waited %v", took)
		}
		time.Sleep(100 * time.Millisecond)
		close(needed)
		if took := <-closed; took != 200*time.Millisecond {
			t.Errorf("a connection that was needed waited %v", took)
		}
		if resting != 0 {
			t.Errorf("%d connections are still said to rest", resting)
		}
	})
}

func form(path, text string) *http.Request {
	request := httptest.NewRequest(http.MethodPost, path, strings.NewReader(text))
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return request
}
