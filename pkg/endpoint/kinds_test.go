package endpoint_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/permit"
)

func TestPublic(t *testing.T) {
	t.Parallel()
	type params struct {
		Name string `param:"name" default:"x"`
	}
	got := endpoint.Request{}
	s := serve(t, endpoint.Public(endpoint.About{Route: "GET /server_settings"},
		func(_ context.Context, from endpoint.Request, in params) (map[string]any, error) {
			got = from
			if in.Name == "bad" {
				return nil, fault.Bad("No")
			}
			return map[string]any{"name": in.Name}, nil
		}))
	r := request(t, http.MethodGet, "/api/v1/server_settings", "")
	r.Header.Del("Authorization")
	r.Header.Set("User-Agent", "Term/1.0")
	r.RemoteAddr = "192.0.2.7:99"
	want(t, s.do(r), 200, `{"result":"success","msg":"","name":"x"}`)
	if diff := cmp.Diff(endpoint.Request{Host: host, UserAgent: "Term/1.0", Client: "Term", Network: netip.MustParsePrefix("192.0.2.7/32")}, got, cmpopts.IgnoreUnexported(endpoint.Request{}), cmpopts.EquateComparable(netip.Prefix{})); diff != "" {
		t.Error(diff)
	}
	want(t, s.do(request(t, http.MethodGet, "/api/v1/server_settings?name=bad", "")), 400, badRequest("No"))
	want(t, s.do(request(t, http.MethodGet, "/api/v1/server_settings?name=%FF", "")), 400, badRequest("name is not valid UTF-8"))
}

type payload struct {
	Title string `json:"featured_title"`
	Inner *struct {
		N int `json:"n"`
	} `json:"inner"`
}

func TestHook(t *testing.T) {
	t.Parallel()
	type params struct {
		Stream  *string `param:"stream"`
		Payload payload `body:"json"`
	}
	s := serve(t, endpoint.Hook(endpoint.About{Route: "POST /external/helloworld", Who: permit.Hook},
		func(_ context.Context, who actor.Actor, in params) (map[string]any, error) {
			return map[string]any{"user": who.User, "title": in.Payload.Title, "stream": in.Stream}, nil
		}))
	path := "/api/v1/external/helloworld?stream=a&api_key=" + key("h")
	for _, c := range []struct {
		body   string
		status int
		answer string
	}{
		{`{"featured_title":"T","more":{"a":[]},"inner":{"n":1,"m":2}}`, 200, `{"result":"success","msg":"","user":6,"title":"T","stream":"a"}`},
		{`{"featured_title":`, 400, `{"result":"error","code":"INVALID_JSON","msg":"Malformed JSON"}`},
		{``, 400, `{"result":"error","code":"INVALID_JSON","msg":"Malformed JSON"}`},
		{`{}`, 400, badRequest("featured_title key is missing from payload")},
		{`[]`, 400, badRequest("payload is not a dict")},
		{`{"featured_title":"T","inner":{"n":"x"}}`, 400, badRequest(`payload["inner"]["n"] is not an integer`)},
		{`{"featured_title":"\u0000"}`, 400, badRequest(`payload["featured_title"] contains NULL (0x00) characters`)},
	} {
		for _, kind := range []string{"application/json", "text/plain", "application/x-www-form-urlencoded", ""} {
			r := request(t, http.MethodPost, path, c.body)
			r.Header.Del("Authorization")
			r.Header.Set("Content-Type", kind)
			want(t, s.do(r), c.status, c.answer)
		}
	}
}

// An error in a value at any depth takes memory in proportion to the body, and its text is short.
//
//nolint:paralleltest // it measures what the process allocates
func TestErrorInDeepBody(t *testing.T) {
	type params struct {
		Payload json.RawMessage `body:"json"`
	}
	about := endpoint.About{Route: "POST /x", Who: permit.Hook, MaxBody: endpoint.LargeBody}
	s := serve(t, endpoint.Hook(about, func(context.Context, actor.Actor, params) (none, error) { return none{}, nil }))
	name := strings.Repeat("ä", 70)
	body := strings.Repeat(`{"`+name+`":[`, 4500) + `"\u0000"` + strings.Repeat("]}", 4500)
	r := request(t, http.MethodPost, "/api/v1/x", body)
	r.Header.Set("Authorization", basic(key("h")))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	got := s.do(r)
	runtime.ReadMemStats(&after)
	path := strings.Repeat(`["`+strings.Repeat("ä", 60)+`…"][0]`, 5)
	want(t, got, 400, badRequest("payload"+path+"… contains NULL (0x00) characters"))
	if each := (after.TotalAlloc - before.TotalAlloc) / uint64(len(body)); each > 100 {
		t.Errorf("%d bytes for each of the body", each)
	}
}

func TestHookWithRawBodyAndBasic(t *testing.T) {
	t.Parallel()
	type params struct {
		Payload json.RawMessage `body:"json"`
	}
	about := endpoint.About{Route: "POST /x", Who: permit.Hook}
	s := serve(t, endpoint.Hook(about, func(_ context.Context, who actor.Actor, in params) (map[string]any, error) {
		return map[string]any{"user": who.User, "in": in.Payload}, nil
	}))
	r := request(t, http.MethodPost, "/api/v1/x", `{"a": 12345678901234567890}`)
	r.Header.Set("Authorization", basic(key("h")))
	want(t, s.do(r), 200, `{"result":"success","msg":"","user":6,"in":{"a":12345678901234567890}}`)
	r = request(t, http.MethodPost, "/api/v1/x?api_key="+key("h"), `{}`) // a key goes first
	r.Header.Set("Authorization", "Bearer of something else")
	want(t, s.do(r), 200, `{"result":"success","msg":"","user":6,"in":{}}`)
	if got := s.do(httptest.NewRequestWithContext(t.Context(), http.MethodHead, "https://acme.example.test/api/v1/x", nil)); got.Code != 200 || got.Body.Len() > 0 {
		t.Errorf("HEAD: %d %s", got.Code, got.Body)
	}
	for _, header := range []string{basic(key("z")), basic("short")} {
		r = request(t, http.MethodPost, "/api/v1/x", `{}`)
		r.Header.Set("Authorization", header)
		if got := s.do(r); got.Code != 401 || got.Header().Get("WWW-Authenticate") == "" {
			t.Errorf("%d %s", got.Code, got.Body)
		}
	}
	r = request(t, http.MethodPost, "/api/v1/x", `{}`) // as for every form in a page of another site
	r.Header.Set("Authorization", basic(key("h")))
	r.Header.Set("Origin", "https://elsewhere.example")
	if got := s.do(r); got.Code != 403 {
		t.Errorf("%d %s", got.Code, got.Body)
	}
}

func TestHookWithHeaderAndForm(t *testing.T) {
	t.Parallel()
	type params struct {
		Event   string  `header:"X-Trial-Event"`
		More    *string `header:"X-Trial-More"`
		Topic   *string `param:"topic"`
		Payload any     `body:"json" form:"payload"`
	}
	s := serve(t, endpoint.Hook(endpoint.About{Route: "POST /x", Who: permit.Hook}, func(_ context.Context, _ actor.Actor, in params) (map[string]any, error) {
		return map[string]any{"event": in.Event, "more": in.More, "topic": in.Topic, "in": in.Payload}, nil
	}))
	const form = "application/x-www-form-urlencoded"
	got := `{"result":"success","msg":"","event":"push","more":null,"topic":null,"in":{"a":[1,null]}}`
	for _, c := range []struct {
		kind, event, body string
		status            int
		answer            string
	}{
		{"application/json", "push", `{"a":[1,null]}`, 200, got},
		{form, "push", `payload=%7B%22a%22%3A%5B1%2Cnull%5D%7D&other=x`, 200, got},
		{form + "; charset=utf-8", "push", `payload={"a":[1,null]}`, 200, got},
		{form, "push", `topic=t&payload={"a":[1,null]}`, 200, strings.Replace(got, `"topic":null`, `"topic":"t"`, 1)},
		{form, "push", `{"a":[1,null]}`, 200, got}, // the type is wrong
		{form, "push", ` {"a":"b&topic=x&payload={}&c"}`, 200, strings.Replace(got, "[1,null]", `"b&topic=x&payload={}&c"`, 1)},
		{"application/json", "push", `payload={"a":[1,null]}`, 400, `{"result":"error","code":"INVALID_JSON","msg":"Malformed JSON"}`},
		{form, "push", `payload=%7B%22a%22`, 400, `{"result":"error","code":"INVALID_JSON","msg":"Malformed JSON"}`},
		{form, "push", `payload=%`, 400, badRequest("payload is not properly percent-encoded")},
		{form, "push", `payload=`, 400, `{"result":"error","code":"INVALID_JSON","msg":"Malformed JSON"}`},
		{form, "push", `payload={"a":"%00"}`, 400, badRequest("payload contains NULL (0x00) characters")},
		{form, "", `payload={}`, 400, `{"result":"error","code":"MISSING_HTTP_EVENT_HEADER","msg":"Missing the HTTP event header 'X_TRIAL_EVENT'","header":"X_TRIAL_EVENT"}`},
		{form, "a\xff", `payload={}`, 400, badRequest("X-Trial-Event is not valid UTF-8")},
	} {
		r := request(t, http.MethodPost, "/api/v1/x?api_key="+key("h"), c.body)
		r.Header.Del("Authorization")
		r.Header.Set("Content-Type", c.kind)
		r.Header.Set("X-Trial-Event", c.event)
		want(t, s.do(r), c.status, c.answer)
	}
}

// JSON in the encodings of Windows is understood.
func TestHookInOtherEncodings(t *testing.T) {
	t.Parallel()
	type params struct {
		Payload any `body:"json"`
	}
	s := serve(t, endpoint.Hook(endpoint.About{Route: "POST /x", Who: permit.Hook}, func(_ context.Context, _ actor.Actor, in params) (map[string]any, error) {
		return map[string]any{"in": in.Payload}, nil
	}))
	for body, in := range map[string]string{
		"\ufeff{\"a\":\"Köln\"}":                                       "Köln", // a byte order mark
		"{\"a\":\"K\xf6ln \x80\"}":                                     "Köln €",
		"{\"a\":\"Köln, M\xfcnchen, \xe2\x82\"}":                       "Köln, München, â‚", // UTF-8 that was cut
		"\xff\xfe{\x00\"\x00a\x00\"\x00:\x00\"\x00\xf6\x00\"\x00}\x00": "ö",
		"\xfe\xff\x00{\x00\"\x00a\x00\"\x00:\x00\"\x00\xf6\x00\"\x00}": "ö",
	} {
		r := request(t, http.MethodPost, "/api/v1/x?api_key="+key("h"), body)
		r.Header.Del("Authorization")
		r.Header.Set("Content-Type", "application/json")
		want(t, s.do(r), 200, `{"result":"success","msg":"","in":{"a":"`+in+`"}}`)
	}
}

func TestHookWithMembersInForm(t *testing.T) {
	t.Parallel()
	type params struct {
		Payload any `body:"json" form:"*"`
	}
	s := serve(t, endpoint.Hook(endpoint.About{Route: "POST /x", Who: permit.Hook}, func(_ context.Context, _ actor.Actor, in params) (map[string]any, error) {
		return map[string]any{"in": in.Payload}, nil
	}))
	const form = "application/x-www-form-urlencoded"
	malformed := `{"result":"error","code":"INVALID_JSON","msg":"Malformed JSON"}`
	for _, c := range []struct {
		kind, body string
		status     int
		answer     string
	}{
		{"application/json", `{"a":[1,null]}`, 200, `{"result":"success","msg":"","in":{"a":[1,null]}}`},
		{form, ` {"a":[1,null]}`, 200, `{"result":"success","msg":"","in":{"a":[1,null]}}`}, // the type is wrong
		{form, `{"a":`, 400, malformed},
		{form, `a=1&b=x+y%3D&a=2`, 200, `{"result":"success","msg":"","in":{"a":"2","b":"x y="}}`},
		{form + "; charset=utf-8", ``, 200, `{"result":"success","msg":"","in":{}}`},
		{"text/plain", `a=1`, 400, malformed},
		{form, `a=%`, 400, badRequest("payload is not properly percent-encoded")},
		{form, `a=%FF`, 400, badRequest("payload is not valid UTF-8")},
		{form, `%FF=a`, 400, badRequest("payload is not valid UTF-8")},
		{form, `a=%00`, 400, badRequest(`payload["a"] contains NULL (0x00) characters`)},
	} {
		r := request(t, http.MethodPost, "/api/v1/x?api_key="+key("h"), c.body)
		r.Header.Del("Authorization")
		r.Header.Set("Content-Type", c.kind)
		want(t, s.do(r), c.status, c.answer)
	}
}

func TestRaw(t *testing.T) {
	t.Parallel()
	type params struct {
		QueueID string `param:"queue_id"`
	}
	s := serve(t, endpoint.Raw(endpoint.About{Route: "GET /events", Who: permit.Anyone},
		func(_ context.Context, who actor.Actor, in params) ([]byte, endpoint.Deferred, error) {
			if in.QueueID == "bad" {
				return nil, nil, fault.New(fault.Invalid, "BAD_EVENT_QUEUE_ID", "Bad event queue id: %s").Format(in.QueueID).With("queue_id", in.QueueID)
			}
			body, err := json.Marshal(map[string]any{"user": who.User})
			return body, nil, err
		}))
	w := s.do(request(t, http.MethodGet, "/api/v1/events?queue_id=1", ""))
	want(t, w, 200, `{"user":3}`)
	if w.Header().Get("Cache-Control") == "" {
		t.Error("no cache headers")
	}
	want(t, s.do(request(t, http.MethodGet, "/api/v1/events?queue_id=bad", "")), 400,
		`{"result":"error","code":"BAD_EVENT_QUEUE_ID","msg":"Bad event queue id: bad","queue_id":"bad"}`)
	want(t, s.do(request(t, http.MethodGet, "/api/v1/events", "")), 400,
		`{"result":"error","code":"REQUEST_VARIABLE_MISSING","msg":"Missing 'queue_id' argument","var_name":"queue_id"}`)
	r := request(t, http.MethodGet, "/api/v1/events?queue_id=1", "")
	r.Header.Del("Authorization")
	want(t, s.do(r), 401, unauthorized("Not logged in: API authentication or user session required"))
}
