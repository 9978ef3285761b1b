package endpoint_test

import (
	"context"
	"encoding/base64"
	"net/http"
	"strings"
	"testing"
	"time"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/permit"
)

func unauthorized(msg string) string {
	return `{"result":"error","code":"UNAUTHORIZED","msg":"` + msg + `"}`
}

func TestBasic(t *testing.T) {
	t.Parallel()
	encode := func(text string) string { return "Basic " + base64.StdEncoding.EncodeToString([]byte(text)) }
	s := serve(t, echo[none]("GET /x"))
	const success = `{"result":"success","msg":"","in":{}}`
	for _, c := range []struct {
		name, header string
		status       int
		body         string
	}{
		{"row 4: no header", "", 401, unauthorized("Not logged in: API authentication or user session required")},
		{"row 5: one word", "Basic", 401, unauthorized("Invalid authorization header for basic auth")},
		{"row 5: three words", "Basic a b", 401, unauthorized("Invalid authorization header for basic auth")},
		{"row 6: another scheme", "Bearer abc", 400, `{"result":"error","msg":"This endpoint requires HTTP basic authentication."}`},
		{"row 7: no base64", "Basic !!!!", 401, unauthorized("Invalid authorization header for basic auth")},
		{"row 7: no UTF-8", encode("a\xff:b"), 401, unauthorized("Invalid authorization header for basic auth")},
		{"row 7: no colon", encode("ab"), 401, unauthorized("Invalid authorization header for basic auth")},
		{"row 7: two colons", encode("a:b:c"), 401, unauthorized("Invalid authorization header for basic auth")},
		{"row 8: too short", encode("a:b"), 401, unauthorized("Malformed API key")},
		{"row 8: other characters", encode("a:" + strings.Repeat("-", 32)), 401, unauthorized("Malformed API key")},
		{"row 9: unknown key", basic(key("z")), 401, unauthorized("Invalid API key")},
		{"row 10: another's key", encode("cordelia@acme.example.test:" + key("m")), 401, unauthorized("Invalid API key")},
		{"row 11: organization deactivated", basic(key("D")), 401, unauthorized("This organization has been deactivated")},
		{"row 12: user deactivated", basic(key("d")), 401, unauthorized("Account is deactivated")},
		{"row 14: incoming webhook bot", basic(key("h")), 401, unauthorized("This API is not available to incoming webhook bots.")},
		{"our failure", basic(key("x")), 500, `{"result":"error","msg":"Internal server error"}`},
		{"good", basic(key("m")), 200, success},
		{"good, other letter case and blanks", "bAsIc  " + base64.StdEncoding.EncodeToString([]byte(" IAGO@acme.example.test : "+key("m")+" ")), 200, success},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := request(t, http.MethodGet, "/api/v1/x", "")
			r.Header.Set("Authorization", c.header)
			w := s.do(r)
			want(t, w, c.status, c.body)
			challenge := ""
			if c.status == 401 {
				challenge = `Basic realm="chatserver"`
			}
			if got := w.Header().Get("WWW-Authenticate"); got != challenge {
				t.Errorf("challenge %q", got)
			}
		})
	}
	t.Run("row 13: another organization's host", func(t *testing.T) {
		t.Parallel()
		r := request(t, http.MethodGet, "/api/v1/x", "")
		r.Host = "other.example.test"
		want(t, s.do(r), 401, unauthorized("Account is not associated with this subdomain"))
	})
}

// TestOrder sends a request with every mistake, and corrects them one by one.
func TestOrder(t *testing.T) {
	t.Parallel()
	type params struct {
		Name string `param:"name"`
	}
	refused := fixed{RetryAfter: time.Second, Reset: time.Unix(1, 0)}
	about := endpoint.About{Route: "POST /x", Who: permit.Admin}
	adminOnly := endpoint.New(about, func(context.Context, actor.Actor, params) (endpoint.Nothing, error) {
		return endpoint.Nothing{}, nil
	})
	strict, open := serveWith(t, endpoint.Config{Limiter: refused}, adminOnly), serve(t, adminOnly)

	do := func(s server, method, path, key, body string) (status int, msg any) {
		r := request(t, method, path, body)
		r.Header.Set("Authorization", key)
		w := s.do(r)
		return w.Code, object(t, w.Body.String())["msg"]
	}
	for _, c := range []struct {
		s                       server
		method, path, key, body string
		status                  int
		msg                     string
	}{
		{strict, "GET", "/api/v1/y", "", "", 404, "Not Found"},
		{strict, "GET", "/api/v1/x", "", "", 405, "Method Not Allowed"},
		{strict, "POST", "/api/v1/x", "", "", 401, "Not logged in: API authentication or user session required"},
		{strict, "POST", "/api/v1/x", basic(key("h")), "", 401, "This API is not available to incoming webhook bots."},
		{strict, "POST", "/api/v1/x", basic(key("m")), "", 429, "API usage exceeded rate limit"},
		{open, "POST", "/api/v1/x", basic(key("m")), "", 400, "Must be an organization administrator"},
		{open, "POST", "/api/v1/x", basic(key("a")), "", 400, "Missing 'name' argument"},
		{open, "POST", "/api/v1/x", basic(key("a")), "name=x", 200, ""},
	} {
		if status, msg := do(c.s, c.method, c.path, c.key, c.body); status != c.status || msg != c.msg {
			t.Errorf("%d %v, want %d %s", status, msg, c.status, c.msg)
		}
	}
}

func TestKey(t *testing.T) {
	t.Parallel()
	reply := func(_ context.Context, who actor.Actor, _ none) (map[string]any, error) {
		return map[string]any{"user": who.User}, nil
	}
	s := serve(t, endpoint.Hook(endpoint.About{Route: "POST /key", Who: permit.Anyone}, reply))
	for _, c := range []struct {
		name, query, body string
		status            int
		answer            string
	}{
		{"absent", "", "", 400, `{"result":"error","code":"REQUEST_VARIABLE_MISSING","msg":"Missing 'api_key' argument","var_name":"api_key"}`},
		{"malformed", "api_key=abc", "", 401, `{"result":"error","code":"INVALID_API_KEY","msg":"Malformed API key"}`},
		{"unknown", "api_key=" + key("z"), "", 401, `{"result":"error","code":"INVALID_API_KEY","msg":"Invalid API key"}`},
		{"organization deactivated", "api_key=" + key("D"), "", 400, badRequest("This organization has been deactivated")},
		{"user deactivated", "api_key=" + key("d"), "", 400, badRequest("Account is deactivated")},
		{"incoming webhook bot", "api_key=" + key("h"), "", 400, badRequest("This API is not available to incoming webhook bots.")},
		{"in the body", "", "api_key=" + key("g"), 200, `{"result":"success","msg":"","user":4}`},
		{"the query string first", "api_key=" + key("m"), "api_key=" + key("g"), 200, `{"result":"success","msg":"","user":3}`},
		{"our failure", "api_key=" + key("x"), "", 500, `{"result":"error","msg":"Internal server error"}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := request(t, http.MethodPost, "/api/v1/key?"+c.query, c.body)
			r.Header.Del("Authorization")
			want(t, s.do(r), c.status, c.answer)
		})
	}
	t.Run("wrong subdomain", func(t *testing.T) {
		t.Parallel()
		r := request(t, http.MethodPost, "/api/v1/key?api_key="+key("m"), "")
		r.Host = "other.example.test"
		want(t, s.do(r), 400, badRequest("Account is not associated with this subdomain"))
	})
	t.Run("the query string first, multipart", func(t *testing.T) {
		t.Parallel()
		r := multi(t, http.MethodPost, "/api/v1/key?api_key="+key("m"), "api_key", key("g"))
		want(t, s.do(r), 200, `{"result":"success","msg":"","user":3}`)
	})
}

func TestLimit(t *testing.T) {
	t.Parallel()
	counted := endpoint.New(endpoint.About{Route: "GET /x", Who: permit.Anyone},
		func(context.Context, actor.Actor, none) (endpoint.Nothing, error) { return endpoint.Nothing{}, nil })
	public := endpoint.Public(endpoint.About{Route: "GET /y"},
		func(context.Context, endpoint.Request, none) (endpoint.Nothing, error) {
			return endpoint.Nothing{}, nil
		})
	names := []string{"X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset", "Retry-After"}
	for name, c := range map[string]struct {
		limiter fixed
		path    string
		status  int
		body    string
		headers [4]string
	}{
		"allowed": {
			fixed{Allowed: true, Limit: 200, Remaining: 3, Reset: time.Unix(1000, 0)},
			"x", 200,
			`{"result":"success","msg":""}`,
			[4]string{"200", "3", "1000", ""},
		},
		"refused": {
			fixed{Limit: 200, Remaining: 7, Reset: time.Unix(1000, 0), RetryAfter: 28700 * time.Millisecond},
			"x", 429,
			`{"result":"error","code":"RATE_LIMIT_HIT","msg":"API usage exceeded rate limit","retry-after":28.7}`,
			[4]string{"200", "0", "1000", "28.7"},
		},
		"not counted": {fixed{}, "y", 200, `{"result":"success","msg":""}`, [4]string{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := serveWith(t, endpoint.Config{Limiter: c.limiter}, counted, public).do(request(t, http.MethodGet, "/api/v1/"+c.path, ""))
			want(t, w, c.status, c.body)
			for i, name := range names {
				if got := w.Header().Get(name); got != c.headers[i] {
					t.Errorf("%s is %q, want %q", name, got, c.headers[i])
				}
			}
		})
	}
}

// Polls are counted by a separate limiter.
func TestLimitLocally(t *testing.T) {
	t.Parallel()
	poll := endpoint.New(endpoint.About{Route: "GET /x", Who: permit.Anyone, CountedLocally: true},
		func(context.Context, actor.Actor, none) (endpoint.Nothing, error) { return endpoint.Nothing{}, nil })
	limiters := endpoint.Config{
		Limiter:      fixed{Allowed: true},
		LocalLimiter: fixed{Limit: 5, Reset: time.Unix(1000, 0), RetryAfter: time.Second},
	}
	w := serveWith(t, limiters, poll).do(request(t, http.MethodGet, "/api/v1/x", ""))
	want(t, w, 429, `{"result":"error","code":"RATE_LIMIT_HIT","msg":"API usage exceeded rate limit","retry-after":1}`)
	if got := w.Header().Get("X-RateLimit-Limit"); got != "5" {
		t.Errorf("limit %q", got)
	}
	defer func() {
		if recover() == nil {
			t.Error("a router without a local limiter took the endpoint")
		}
	}()
	serveWith(t, endpoint.Config{}, poll)
}
