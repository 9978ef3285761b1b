package endpoint_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/permit"
)

type none struct{}

// answer declares an endpoint that responds with reply and err.
func answer[R any](route string, reply R, err error) endpoint.Endpoint {
	return endpoint.New(endpoint.About{Route: route, Who: permit.Anyone},
		func(context.Context, actor.Actor, none) (R, error) { return reply, err })
}

// TestFailed checks whether a router reports errors as the caller's or the server's.
func TestFailed(t *testing.T) {
	t.Parallel()
	type params struct {
		N int `param:"n"`
	}
	own := fault.Plain("no %d")
	events := []string{}
	s := serveWith(t, endpoint.Config{Failed: func(e endpoint.Endpoint, f *fault.Fault, handled bool) {
		events = append(events, fmt.Sprintf("%s %s, handled %v, own %v", e.Path(), f.Msg, handled, errors.Is(f, own)))
	}}, endpoint.New(endpoint.About{Route: "GET /own", Who: permit.Anyone},
		func(_ context.Context, _ actor.Actor, in params) (endpoint.Nothing, error) {
			if in.N == 0 {
				return endpoint.Nothing{}, nil
			}
			return endpoint.Nothing{}, own.Format(in.N)
		}), answer("GET /broken", none{}, errors.New("secret")))
	for _, path := range []string{"own?n=0", "own", "own?n=7", "broken", "nowhere"} {
		s.do(request(t, http.MethodGet, "/api/v1/"+path, ""))
	}
	want := []string{
		"/api/v1/own Missing 'n' argument, handled false, own false", "/api/v1/own no 7, handled true, own true",
		"/api/v1/broken Internal server error, handled true, own false",
	}
	if diff := cmp.Diff(want, events); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestSuccess(t *testing.T) {
	t.Parallel()
	type withMsg struct {
		Msg string `json:"msg"`
	}
	type fields struct {
		ID   int    `json:"id"`
		Text string `json:"text"`
	}
	s := serve(
		t,
		answer("GET /nothing", endpoint.Nothing{}, nil),
		answer("GET /fields", fields{ID: 7, Text: "<b>&"}, nil),
		answer("GET /msg", withMsg{Msg: "night"}, nil),
		answer("GET /map", map[string]any{"z": 1}, nil),
	)
	for path, want := range map[string]string{
		"nothing": `{"result":"success","msg":""}`,
		"fields":  `{"result":"success","msg":"","id":7,"text":"<b>&"}`,
		"msg":     `{"result":"success","msg":"night"}`,
		"map":     `{"result":"success","msg":"","z":1}`,
	} {
		w := s.do(request(t, http.MethodGet, "/api/v1/"+path, ""))
		if got := w.Body.String(); w.Code != http.StatusOK || got != want+"\n" {
			t.Errorf("%s: %d %q, want %q", path, w.Code, got, want)
		}
		header := map[string]string{
			"Content-Type":   "application/json",
			"Content-Length": strconv.Itoa(len(want) + 1),
			"Cache-Control":  "max-age=0, no-cache, no-store, must-revalidate",
			"Expires":        "Thu, 01 Jan 1970 00:00:00 GMT",
		}
		for name, value := range header {
			if got := w.Header().Get(name); got != value {
				t.Errorf("%s: header %s is %q, want %q", path, name, got, value)
			}
		}
	}
}

func TestFailure(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		err    error
		status int
		body   string
	}{
		"with code":    {fault.Bad("Invalid message(s)"), 400, badRequest("Invalid message(s)")},
		"without code": {fault.Plain("Topic already muted"), 400, `{"result":"error","msg":"Topic already muted"}`},
		"wrapped":      {fmt.Errorf("mute: %w", fault.Plain("No")), 400, `{"result":"error","msg":"No"}`},
		"with members": {
			fault.New(fault.Invalid, "STREAM_DOES_NOT_EXIST", "Stream '%s' does not exist").Format("x").With("stream", "x"), 400,
			`{"result":"error","code":"STREAM_DOES_NOT_EXIST","msg":"Stream 'x' does not exist","stream":"x"}`,
		},
		"forbidden":    {fault.New(fault.Forbidden, fault.CodeUnauthorizedPrincipal, "No"), 403, `{"result":"error","code":"UNAUTHORIZED_PRINCIPAL","msg":"No"}`},
		"unexpected":   {errors.New("secret"), 500, `{"result":"error","msg":"Internal server error"}`},
		"unknown kind": {fault.New(7, "", "No"), 500, `{"result":"error","msg":"No"}`},
		"no JSON":      {fault.Plain("No").With("x", func() {}), 500, `{"result":"error","msg":"Internal server error"}`},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, answer("GET /x", endpoint.Nothing{}, c.err))
			want(t, s.do(request(t, http.MethodGet, "/api/v1/x", "")), c.status, c.body)
		})
	}
}

func TestUnexpectedFailureIsLoggedOnce(t *testing.T) {
	t.Parallel()
	s := serve(t, answer("GET /x", endpoint.Nothing{}, errors.New("secret")))
	r := request(t, http.MethodGet, "/api/v1/x", "")
	r.Header.Set("X-Request-Id", "abc-1")
	w := s.do(r)
	got := object(t, s.log.String()) // one line; otherwise it isn't JSON
	delete(got, "time")
	line := map[string]any{
		"level": "ERROR", "msg": "request failed", "method": "GET", "route": "GET /api/v1/x",
		"request_id": "abc-1", "error": "secret", "org": 1.0, "user": 3.0,
	}
	if diff := cmp.Diff(line, got); diff != "" {
		t.Errorf("log (-want +got):\n%s", diff)
	}
	if got := w.Header().Get("X-Request-Id"); got != "abc-1" {
		t.Errorf("request id %q", got)
	}
}

// A limit on the load, and no other fault, comes with a header by which programs try again.
func TestRetryAfterLimit(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		f    *fault.Fault
		want string
	}{
		{fault.Limit("", "Too many"), "1"},
		{fault.Limit("", "Too many").With("retry-after", 7), "7"},
		{fault.Bad("No"), ""},
		{fault.New(fault.Unavailable, "", "No").Wrap(errors.New("connection refused")), ""},
	} {
		w := serve(t, answer("GET /x", endpoint.Nothing{}, c.f)).do(request(t, http.MethodGet, "/api/v1/x", ""))
		if got := w.Header().Get("Retry-After"); got != c.want {
			t.Errorf("%v: %q, want %q", c.f, got, c.want)
		}
	}
}

func TestFaultIsNotLogged(t *testing.T) {
	t.Parallel()
	for _, f := range []*fault.Fault{fault.Bad("No"), fault.Limit("", "Too many"), fault.Limit("", "Too many").Wrap(context.DeadlineExceeded)} {
		s := serve(t, answer("GET /x", endpoint.Nothing{}, f))
		s.do(request(t, http.MethodGet, "/api/v1/x", ""))
		if s.log.Len() > 0 {
			t.Errorf("log: %s", s.log)
		}
	}
}

func TestFaultOfDependencyIsLogged(t *testing.T) {
	t.Parallel()
	for _, f := range []*fault.Fault{
		fault.New(fault.Unavailable, "", "No").Wrap(errors.New("connection refused")), fault.Limit("", "Too many").Wrap(errors.New("connection refused")),
	} {
		s := serve(t, answer("GET /x", endpoint.Nothing{}, f))
		s.do(request(t, http.MethodGet, "/api/v1/x", ""))
		if log := s.log.String(); !strings.Contains(log, "connection refused") || !strings.Contains(log, `"ERROR"`) {
			t.Errorf("log: %s", log)
		}
	}
}

func TestCauseIsForTheLogOnly(t *testing.T) {
	t.Parallel()
	s := serve(t, answer("GET /x", endpoint.Nothing{}, fault.Bad("No").Wrap(errors.New("secret"))))
	want(t, s.do(request(t, http.MethodGet, "/api/v1/x", "")), 400, badRequest("No"))
	if log := s.log.String(); !strings.Contains(log, "secret") || !strings.Contains(log, `"DEBUG"`) {
		t.Errorf("log: %s", log)
	}
}

func TestReplyThatIsNoJSON(t *testing.T) {
	t.Parallel()
	s := serve(t, answer("GET /x", map[string]any{"f": func() {}}, nil), answer("GET /y", (*none)(nil), nil))
	for _, path := range []string{"/api/v1/x", "/api/v1/y"} {
		want(t, s.do(request(t, http.MethodGet, path, "")), 500, `{"result":"error","msg":"Internal server error"}`)
	}
}

func TestPanic(t *testing.T) {
	t.Parallel()
	s := serve(t, endpoint.New(endpoint.About{Route: "GET /x", Who: permit.Anyone},
		func(context.Context, actor.Actor, none) (endpoint.Nothing, error) { panic("broken") }))
	want(t, s.do(request(t, http.MethodGet, "/api/v1/x", "")), 500, `{"result":"error","msg":"Internal server error"}`)
	if log := s.log.String(); !strings.Contains(log, "broken") || !strings.Contains(log, "envelope_test.go") {
		t.Errorf("log without cause or stack: %s", log)
	}
}

func TestClientWentAway(t *testing.T) {
	t.Parallel()
	status := 0
	observe := func(_ context.Context, _ string, s int, _ time.Duration) { status = s }
	about := endpoint.About{Route: "GET /x", Who: permit.Anyone}
	plain := endpoint.New(about, func(ctx context.Context, _ actor.Actor, _ none) (endpoint.Nothing, error) {
		return endpoint.Nothing{}, ctx.Err()
	})
	about.Route, about.Memory = "GET /large", 1 // it waits for its turn
	large := endpoint.New(about, func(context.Context, actor.Actor, none) (endpoint.Nothing, error) {
		return endpoint.Nothing{}, fault.New(fault.Unavailable, fault.CodeNone, "Later").Wrap(context.Canceled)
	})
	s := serveWith(t, endpoint.Config{Observe: observe}, plain, large)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, path := range []string{"/x", "/large"} {
		w := s.do(request(t, http.MethodGet, "/api/v1"+path, "").WithContext(ctx))
		if status != 499 || s.log.Len() > 0 || w.Body.Len() > 0 {
			t.Errorf("%s: status %d, log %q, body %q", path, status, s.log, w.Body)
		}
		status = 0
	}
}

func TestObserve(t *testing.T) {
	t.Parallel()
	type seen struct {
		Route  string
		Status int
		Took   time.Duration
	}
	got := []seen{}
	now := time.Unix(0, 0)
	s := serveWith(t, endpoint.Config{
		Now: func() time.Time { now = now.Add(time.Second); return now },
		Observe: func(_ context.Context, route string, status int, took time.Duration) {
			got = append(got, seen{route, status, took})
		},
	}, echo[none]("GET /x"), answer("GET /y", endpoint.Nothing{}, fault.Bad("No")))
	for _, path := range []string{"/api/v1/x", "/api/v1/y", "/api/v1/z"} {
		s.do(request(t, http.MethodGet, path, ""))
	}
	// The limiter uses the clock, too.
	all := []seen{{"GET /api/v1/x", 200, 2 * time.Second}, {"GET /api/v1/y", 400, 2 * time.Second}, {"", 404, time.Second}}
	if diff := cmp.Diff(all, got); diff != "" {
		t.Errorf("observed (-want +got):\n%s", diff)
	}
}

func TestRequestID(t *testing.T) {
	t.Parallel()
	inside := ""
	s := serve(t, endpoint.New(endpoint.About{Route: "GET /x", Who: permit.Anyone},
		func(ctx context.Context, _ actor.Actor, _ none) (endpoint.Nothing, error) {
			inside = endpoint.RequestID(ctx)
			return endpoint.Nothing{}, nil
		}))
	first := s.do(request(t, http.MethodGet, "/api/v1/x", "")).Header().Get("X-Request-Id")
	if first == "" || inside != first {
		t.Errorf("the handler sees %q, the client %q", inside, first)
	}
	const most = "azAZ09-_"
	for sent, kept := range map[string]bool{
		most: true, strings.Repeat(most, 8): true, strings.Repeat(most, 8) + "a": false, "not\tgood": false, "ü": false,
		"/": false, ":": false, "@": false, "[": false, "`": false, "{": false, "a b": false, ".": false,
	} {
		r := request(t, http.MethodGet, "/api/v1/x", "")
		r.Header.Set("X-Request-Id", sent)
		if got := s.do(r).Header().Get("X-Request-Id"); (got == sent) != kept || got == first || got == "" || inside != got {
			t.Errorf("sent %q: the handler sees %q, the client %q", sent, inside, got)
		}
	}
	if got := endpoint.RequestID(t.Context()); got != "" {
		t.Errorf("outside of requests: %q", got)
	}
}

// The web client gets refusals in the language of its user. Programs get those of the interface, whatever headers
// they send.
func TestRefusalsInTheReadersLanguage(t *testing.T) {
	t.Parallel()
	long := fault.New(fault.Invalid, "X", "Topic is too long: it has %d characters, the limit is %d").Format(61, 60).With("limit", 60).
		With("errors", []any{[]any{"a@b.example", fault.Plain("Already has an account."), fault.Plain("as it is")}})
	s := serve(t, answer("GET /x", endpoint.Nothing{}, long), answer("GET /y", endpoint.Nothing{}, fault.Bad("It is 100% English")))
	body := func(msg, first, more string) string {
		return `{"result":"error","code":"X","msg":"` + msg + `","limit":60,"errors":[["a@b.example","` + first + `","as it is"]]` + more + `}`
	}
	const declared = "Topic is too long: it has 61 characters, the limit is 60"
	english := body(declared, "Already has an account.", "")
	german := body("Das Thema ist zu lang: Es hat 61 Zeichen, höchstens 60 sind möglich.", "Mit dieser Adresse gibt es schon ein Konto.", `,"untranslated":"`+declared+`"`)
	for name, c := range map[string]struct {
		headers map[string]string
		body    string
	}{
		"the client":               {map[string]string{"X-Requested-With": "fetch", "Accept-Language": "de"}, german},
		"the client, with TLS":     {map[string]string{"Sec-Fetch-Mode": "cors", "Sec-Fetch-Site": "same-origin", "Accept-Language": "de-AT,en"}, german},
		"in another language":      {map[string]string{"X-Requested-With": "fetch", "Accept-Language": "tlh"}, english},
		"in none":                  {map[string]string{"X-Requested-With": "fetch"}, english},
		"a program":                {map[string]string{"Authorization": basic(key("m")), "X-Requested-With": "fetch", "Accept-Language": "de"}, english},
		"a program with a session": {map[string]string{"Accept-Language": "de"}, english},
		"the address bar":          {map[string]string{"Sec-Fetch-Mode": "navigate", "Sec-Fetch-Site": "none", "Accept-Language": "de"}, english},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := request(t, http.MethodGet, "/api/v1/x", "")
			r.Header.Del("Authorization")
			r.Header.Set("Cookie", "session="+key("m"))
			for name, value := range c.headers {
				r.Header.Set(name, value)
			}
			want(t, s.do(r), 400, c.body)
		})
	}
	r := request(t, http.MethodGet, "/api/v1/y", "")
	r.Header.Del("Authorization")
	r.Header.Set("Cookie", "session="+key("m"))
	r.Header.Set("X-Requested-With", "fetch")
	r.Header.Set("Accept-Language", "de")
	want(t, s.do(r), 400, badRequest("It is 100% English"))
}
