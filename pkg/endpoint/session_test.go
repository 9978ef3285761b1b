package endpoint_test

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"chatserver.dev/pkg/endpoint"
)

// A browser's session is valid only in requests from pages of the same host.
func TestSession(t *testing.T) {
	t.Parallel()
	s := serve(t, echo[none]("GET /x"), echo[none]("POST /x"))
	foreign := `{"result":"error","code":"CSRF_FAILED","msg":"CSRF Error: the request comes from a page of another website","reason":"the request comes from a page of another website"}`
	other := `{"result":"error","code":"OTHER_ACCOUNT","msg":"This browser is signed in to another account now"}`
	success := `{"result":"success","msg":"","in":{}}`
	for name, c := range map[string]struct {
		method, cookie string
		headers        map[string]string
		status         int
		body           string
		challenge      string
	}{
		"a program":                    {"GET", "session=" + key("m"), nil, 200, success, ""},
		"a page of ours":               {"POST", "session=" + key("m"), map[string]string{"Sec-Fetch-Site": "same-origin", "Origin": "https://" + host}, 200, success, ""},
		"the address bar":              {"GET", "session=" + key("m"), map[string]string{"Sec-Fetch-Site": "none"}, 200, success, ""},
		"another organization":         {"GET", "session=" + key("m"), map[string]string{"Sec-Fetch-Site": "same-site"}, 403, foreign, ""},
		"another website":              {"GET", "session=" + key("m"), map[string]string{"Sec-Fetch-Site": "cross-site"}, 403, foreign, ""},
		"an old browser":               {"POST", "session=" + key("m"), map[string]string{"Origin": "https://" + host}, 200, success, ""},
		"an old browser, abroad":       {"POST", "session=" + key("m"), map[string]string{"Origin": "https://evil.example"}, 403, foreign, ""},
		"nowhere":                      {"POST", "session=" + key("m"), map[string]string{"Origin": "null"}, 403, foreign, ""},
		"unknown":                      {"GET", "session=" + key("z"), nil, 401, unauthorized("Invalid API key"), `Basic realm="chatserver"`},
		"ended, in a page":             {"GET", "session=" + key("z"), map[string]string{"Sec-Fetch-Site": "same-origin", "Sec-Fetch-Mode": "cors"}, 401, unauthorized("Invalid API key"), `Session realm="chatserver"`},
		"ended, in a page without TLS": {"GET", "session=" + key("z"), map[string]string{"X-Requested-With": "fetch"}, 401, unauthorized("Invalid API key"), `Session realm="chatserver"`},
		"malformed":                    {"GET", "session=x", nil, 401, unauthorized("Malformed API key"), `Basic realm="chatserver"`},
		"an integration":               {"GET", "session=" + key("h"), nil, 401, unauthorized("This API is not available to incoming webhook bots."), `Basic realm="chatserver"`},
		"a page of the account":        {"POST", "session=" + key("m"), map[string]string{"X-Account-Id": "3"}, 200, success, ""},
		"a page of another account":    {"POST", "session=" + key("m"), map[string]string{"X-Account-Id": "11", "X-Requested-With": "fetch"}, 401, other, `Session realm="chatserver"`},
		"a page of no account":         {"POST", "session=" + key("m"), map[string]string{"X-Account-Id": "0x3", "X-Requested-With": "fetch"}, 401, other, `Session realm="chatserver"`},
		"another cookie":               {"GET", "sessions=" + key("m"), nil, 401, unauthorized("Not logged in: API authentication or user session required"), `Basic realm="chatserver"`},
		"a header that is wrong":       {"GET", "session=" + key("m"), map[string]string{"Authorization": "Basic"}, 401, unauthorized("Invalid authorization header for basic auth"), `Basic realm="chatserver"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := request(t, c.method, "/api/v1/x", "")
			r.Header.Del("Authorization")
			r.Header.Set("Cookie", c.cookie)
			for name, value := range c.headers {
				r.Header.Set(name, value)
			}
			w := s.do(r)
			want(t, w, c.status, c.body)
			if got := w.Header().Get("WWW-Authenticate"); got != c.challenge {
				t.Errorf("challenge %q", got)
			}
		})
	}
	r := request(t, http.MethodGet, "/api/v1/x", "")
	r.Header.Del("Authorization")
	r.Header.Set("Cookie", "session="+key("m"))
	r.Host = "other.example.test"
	want(t, s.do(r), 401, unauthorized("Account is not associated with this subdomain"))
}

// secured are the accounts of a server that browsers reach by TLS.
type secured struct{ accounts }

func (secured) Secure() bool { return true }

// A page on a sibling host can set a cookie for all hosts below the server's, but none with the prefix that the
// session cookie has with TLS.
func TestSessionOfAnotherHost(t *testing.T) {
	t.Parallel()
	const prefixed = "__Host-session="
	s := serveWith(t, endpoint.Config{Authenticator: secured{members()}}, echo[none]("GET /x"))
	for name, c := range map[string]struct {
		cookies string
		status  int
	}{
		"own":                        {prefixed + key("m"), 200},
		"set by a neighbour":         {"session=" + key("m"), 401},
		"neighbour's first":          {"session=" + key("d") + "; " + prefixed + key("m"), 200},
		"neighbour's last":           {prefixed + key("m") + "; session=" + key("d"), 200},
		"ended, a neighbour's lasts": {prefixed + key("z") + "; session=" + key("m"), 401},
		"in other letters":           {"__host-session=" + key("m") + "; __HOST-session=" + key("m"), 401},
		"another prefix":             {"__Secure-session=" + key("m"), 401},
	} {
		r := request(t, http.MethodGet, "/api/v1/x", "")
		r.Header.Del("Authorization")
		r.Header.Set("Cookie", c.cookies)
		if w := s.do(r); w.Code != c.status {
			t.Errorf("%s: %d %s", name, w.Code, w.Body)
		}
	}
	r := request(t, http.MethodGet, "/api/v1/x", "")
	r.Header.Del("Authorization")
	r.Header.Set("Cookie", prefixed+key("m"))
	want(t, serve(t, echo[none]("GET /x")).do(r), 401, unauthorized("Not logged in: API authentication or user session required"))
}

// The session cookie meets the conditions of browsers for its prefix: all paths, only TLS, no domain.
func TestStartSession(t *testing.T) {
	t.Parallel()
	for name, secure := range map[string]bool{"__Host-session": true, "session": false} {
		w := httptest.NewRecorder()
		endpoint.StartSession(w, key("m"), time.Unix(1000, 0), secure)
		want := name + "=" + key("m") + "; Path=/; Expires=Thu, 01 Jan 1970 00:16:40 GMT; HttpOnly; "
		if secure {
			want += "Secure; "
		}
		if got := w.Header().Values("Set-Cookie"); len(got) != 1 || got[0] != want+"SameSite=Strict" {
			t.Errorf("%q", got)
		}
	}
}
