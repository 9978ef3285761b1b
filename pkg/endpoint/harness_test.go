package endpoint_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/limit"
	"chatserver.dev/pkg/permit"
)

const host = "acme.example.test"

// key returns a well-formed API key of one repeated letter.
func key(letter string) string { return strings.Repeat(letter, 32) }

// accounts is an organization in memory: accounts or errors by API key.
type accounts map[string]account

type account struct {
	actor actor.Actor
	fails error
}

func person(user id.User, role actor.Role, bot actor.BotType) account {
	return account{actor: actor.New(1, actor.Actor{User: user, Role: role, Bot: bot, RealEmail: "iago@acme.example.test"})}
}

func (a accounts) Authenticate(ctx context.Context, host, email, key string) (actor.Actor, error) {
	who, err := a.AuthenticateKey(ctx, host, key)
	if err == nil && !strings.EqualFold(email, who.RealEmail) {
		return actor.Actor{}, fault.ErrInvalidKey
	}
	return who, err
}

// Secure reports that browsers reach the server without TLS.
func (accounts) Secure() bool { return false }

func (a accounts) AuthenticateKey(_ context.Context, at, key string) (actor.Actor, error) {
	found, ok := a[key]
	switch {
	case !ok:
		return actor.Actor{}, fault.ErrInvalidKey
	case found.fails != nil:
		return actor.Actor{}, found.fails
	case at != host:
		return actor.Actor{}, fault.ErrWrongSubdomain
	}
	return found.actor, nil
}

// fixed is a limiter that always returns the same decision.
type fixed limit.Decision

func (f fixed) Allow(context.Context, id.User, time.Time) limit.Decision { return limit.Decision(f) }

func members() accounts {
	return accounts{
		key("o"): person(1, actor.Owner, actor.Human),
		key("a"): person(2, actor.Administrator, actor.Human),
		key("m"): person(3, actor.Member, actor.Human),
		key("g"): person(4, actor.Guest, actor.Human),
		key("b"): person(5, actor.Member, actor.GenericBot),
		key("h"): person(6, actor.Member, actor.IncomingWebhook),
		key("d"): {fails: fault.ErrUserDeactivated},
		key("D"): {fails: fault.ErrOrgDeactivated},
		key("x"): {fails: context.DeadlineExceeded},
	}
}

// server is a router and its log.
type server struct {
	http.Handler
	log *bytes.Buffer
}

func serve(t testing.TB, endpoints ...endpoint.Endpoint) server {
	t.Helper()
	return serveWith(t, endpoint.Config{}, endpoints...)
}

func serveWith(t testing.TB, cfg endpoint.Config, endpoints ...endpoint.Endpoint) server {
	t.Helper()
	log := &bytes.Buffer{}
	cfg.Logger = slog.New(slog.NewJSONHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	if cfg.Authenticator == nil {
		cfg.Authenticator = members()
	}
	if cfg.Limiter == nil {
		cfg.Limiter = fixed{Allowed: true, Limit: 200, Remaining: 199, Reset: time.Unix(1000, 0)}
	}
	if cfg.Now == nil {
		cfg.Now = func() time.Time { return time.Unix(940, 0) }
	}
	return server{Handler: endpoint.NewRouter(cfg, endpoints), log: log}
}

// echo declares an endpoint that responds with its parameters.
func echo[P any](route string) endpoint.Endpoint { return echoLimited[P](route, 0) }

// echoLimited is like echo, with a limit for bodies in bytes.
func echoLimited[P any](route string, maxBody int64) endpoint.Endpoint {
	return endpoint.New(endpoint.About{Route: route, Who: permit.Anyone, MaxBody: maxBody},
		func(_ context.Context, _ actor.Actor, in P) (map[string]P, error) { return map[string]P{"in": in}, nil })
}

func basic(key string) string {
	return "Basic " + base64.StdEncoding.EncodeToString([]byte("iago@acme.example.test:"+key))
}

// request returns a request from the member. body is an encoded form.
func request(t testing.TB, method, target, body string) *http.Request {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), method, target, strings.NewReader(body))
	r.Host = host
	r.Header.Set("Authorization", basic(key("m")))
	if body != "" {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	return r
}

func (s server) do(r *http.Request) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return w
}

// want checks the status and the body, which is compared as JSON.
func want(t *testing.T, w *httptest.ResponseRecorder, status int, body string) {
	t.Helper()
	if w.Code != status {
		t.Errorf("status %d, want %d", w.Code, status)
	}
	if diff := cmp.Diff(object(t, body), object(t, w.Body.String())); diff != "" {
		t.Errorf("body (-want +got):\n%s", diff)
	}
	if got := w.Header().Get("Content-Type"); got != "application/json" {
		t.Errorf("content type %q", got)
	}
}

func object(t *testing.T, text string) map[string]any {
	t.Helper()
	o := map[string]any{}
	if err := json.Unmarshal([]byte(text), &o); err != nil {
		t.Fatalf("%v in %q", err, text)
	}
	return o
}

func badRequest(msg string) string {
	quoted, err := json.Marshal(msg)
	if err != nil {
		panic(err)
	}
	return `{"result":"error","code":"BAD_REQUEST","msg":` + string(quoted) + `}`
}
