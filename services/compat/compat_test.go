package compat_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/testbed"
	"chatserver.dev/services/compat"
)

const formType = "application/x-www-form-urlencoded"

type params struct {
	HostedAvatar bool   `param:"client_hosted_avatar" default:"false"`
	Filler       string `param:"filler" default:""`
	Fail         bool   `param:"fail" default:"false"`
}

var errFails = fault.Bad("no")

// reply says what an endpoint was told.
type reply struct {
	Hosted bool     `json:"hosted"`
	Filler int      `json:"filler"` // its length
	Muted  [][3]any `json:"muted_topics"`
	Note   string   `json:"note"`
}

type streamsReply struct {
	Streams []map[string]any `json:"streams"`
}

// serve starts a server with endpoints on the paths that something is done for.
func serve(t *testing.T, muted [][3]any) *httptest.Server {
	t.Helper()
	tell := func(_ context.Context, _ endpoint.Request, in params) (reply, error) {
		if in.Fail {
			return reply{}, errFails
		}
		return reply{in.HostedAvatar, len(in.Filler), muted, `x\"muted_topics":[[1,"a",2]]`}, nil
	}
	router := endpoint.NewRouter(endpoint.Config{Logger: testbed.Logger(t), Now: time.Now}, []endpoint.Endpoint{
		endpoint.Public(endpoint.About{Route: "GET /server_settings"}, tell),
		endpoint.Public(endpoint.About{Route: "POST /register", MaxBody: 200 << 10}, tell),
		endpoint.Public(endpoint.About{Route: "GET /users"}, tell),
		endpoint.Public(endpoint.About{Route: "GET /streams"},
			func(_ context.Context, from endpoint.Request, _ struct{}) (streamsReply, error) {
				if from.Host != "acme.chat.example" {
					return streamsReply{}, errFails
				}
				return streamsReply{[]map[string]any{{"stream_id": 7, "name": `boiler "room"`}, {"stream_id": 8, "name": "x"}}}, nil
			}),
	})
	server := httptest.NewServer(compat.Wrap(router))
	t.Cleanup(server.Close)
	return server
}

// ask sends a request and gives status and body.
func ask(t *testing.T, server *httptest.Server, method, path, userAgent, kind, body string) (int, map[string]any) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, server.URL+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Host = "acme.chat.example"
	r.Header.Set("User-Agent", userAgent)
	r.Header.Set("Content-Type", kind)
	w, err := server.Client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Body.Close()
	text, err := io.ReadAll(w.Body)
	if err != nil {
		t.Fatal(err)
	}
	if method == http.MethodHead {
		return w.StatusCode, map[string]any{"length": w.Header.Get("Content-Length")}
	}
	if want := strconv.Itoa(len(text)); w.Header.Get("Content-Length") != want {
		t.Errorf("%s: Content-Length %q, want %s", path, w.Header.Get("Content-Length"), want)
	}
	object := map[string]any{}
	if err := json.Unmarshal(text, &object); err != nil {
		t.Fatalf("%v in %q", err, text)
	}
	return w.StatusCode, object
}

func answer(changes map[string]any) map[string]any {
	all := map[string]any{
		"result": "success", "msg": "", "hosted": false, "filler": 0.0, "muted_topics": nil, "note": `x\"muted_topics":[[1,"a",2]]`,
		"zulip_version": "3.1", "zulip_feature_level": 27.0,
	}
	for name, value := range changes {
		if all[name] = value; value == "absent" {
			delete(all, name)
		}
	}
	return all
}

func multipartForm(t *testing.T, name, value string) (kind, body string) {
	t.Helper()
	text := bytes.Buffer{}
	form := multipart.NewWriter(&text)
	if err := form.WriteField(name, value); err != nil {
		t.Fatal(err)
	}
	if err := form.Close(); err != nil {
		t.Fatal(err)
	}
	return form.FormDataContentType(), text.String()
}

func TestAnswersAndParameters(t *testing.T) {
	t.Parallel()
	server := serve(t, nil)
	multipartKind, multipartBody := multipartForm(t, "client_gravatar", "true")
	bad := map[string]any{"result": "error", "code": "BAD_REQUEST", "msg": "no"}
	plain := answer(map[string]any{"zulip_version": "absent", "zulip_feature_level": "absent"})
	plainHosted := answer(map[string]any{"zulip_version": "absent", "zulip_feature_level": "absent", "hosted": true})
	hosted := answer(map[string]any{"hosted": true})
	long := func(n int) string { return strings.Repeat("x", n) }
	for name, c := range map[string]struct {
		method, path, kind, body string
		status                   int
		want                     map[string]any
	}{
		"server_settings":             {"GET", "/server_settings", "", "", 200, answer(nil)},
		"server_settings that fail":   {"GET", "/server_settings?fail=true", "", "", 400, bad},
		"register":                    {"POST", "/register", formType, "filler=abc", 200, answer(map[string]any{"filler": 3.0})},
		"register that fails":         {"POST", "/register", formType, "fail=true", 400, bad},
		"register without a body":     {"POST", "/register", "", "", 200, answer(nil)},
		"another path":                {"GET", "/users", "", "", 200, plain},
		"alias in a query":            {"GET", "/users?client_gravatar=true&x=1", "", "", 200, plainHosted},
		"own name in a query":         {"GET", "/users?client_hosted_avatar=true", "", "", 200, plainHosted},
		"both in a query":             {"GET", "/users?client_gravatar=false&client_hosted_avatar=true", "", "", 200, plainHosted},
		"alias as a value in a query": {"GET", "/users?filler=client_gravatar", "", "", 200, answer(map[string]any{"zulip_version": "absent", "zulip_feature_level": "absent", "filler": 15.0})},
		"alias in a form":             {"POST", "/register", formType + "; charset=utf-8", "filler=a&client_gravatar=true", 200, answer(map[string]any{"hosted": true, "filler": 1.0})},
		"own name in a form":          {"POST", "/register", formType, "client_hosted_avatar=true", 200, hosted},
		"both in a form":              {"POST", "/register", formType, "client_gravatar=false&client_hosted_avatar=true", 200, hosted},
		"alias in the query of a POST": {
			"POST", "/register?client_gravatar=true", formType, "filler=a", 200, answer(map[string]any{"hosted": true, "filler": 1.0}),
		},
		"alias in multipart": {"POST", "/register", multipartKind, multipartBody, 200, hosted},
		"a body that is looked through": {
			"POST", "/register", formType, "client_gravatar=true&filler=" + long(60<<10), 200,
			answer(map[string]any{"hosted": true, "filler": float64(60 << 10)}),
		},
		"a body that isn't": {
			"POST", "/register", formType, "filler=" + long(100<<10), 200, answer(map[string]any{"filler": float64(100 << 10)}),
		},
	} {
		for _, userAgent := range []string{"Something/1", "ZulipPython/0.9"} {
			status, got := ask(t, server, c.method, "/api/v1"+c.path, userAgent, c.kind, c.body)
			if diff := cmp.Diff(c.want, got); status != c.status || diff != "" {
				t.Errorf("%s, %s: status %d, want %d; body (-want +got):\n%s", name, userAgent, status, c.status, diff)
			}
		}
	}
	status, got := ask(t, server, "POST", "/api/v1/register", "x", formType, "filler="+url.QueryEscape(long(300<<10)))
	if status != http.StatusRequestEntityTooLarge || got["result"] != "error" {
		t.Errorf("a body over the limit: %d, %v", status, got)
	}
	_, head := ask(t, server, "HEAD", "/api/v1/server_settings", "x", "", "")
	text, err := json.Marshal(answer(nil))
	if err != nil {
		t.Fatal(err)
	}
	if want := strconv.Itoa(len(text) + len("\n")); head["length"] != want {
		t.Errorf("HEAD: length %v, want %s", head["length"], want)
	}
}

func TestMutedTopics(t *testing.T) {
	t.Parallel()
	server := serve(t, [][3]any{{7, "a <b>", 1598290000}, {9, "of a stream that can't be seen", 1}, {8, "c", 2}})
	ids := []any{[]any{7.0, "a <b>", 1598290000.0}, []any{9.0, "of a stream that can't be seen", 1.0}, []any{8.0, "c", 2.0}}
	names := []any{[]any{`boiler "room"`, "a <b>", 1598290000.0}, []any{"x", "c", 2.0}}
	for userAgent, want := range map[string][]any{"": ids, "python-requests/2": ids, "NotZulip/1": ids, "ZulipPython/0.9": names, "ZulipTerminal/0.7 (x)": names} {
		status, got := ask(t, server, "POST", "/api/v1/register", userAgent, formType, "")
		if diff := cmp.Diff(answer(map[string]any{"muted_topics": want}), got); status != http.StatusOK || diff != "" {
			t.Errorf("%q: %d (-want +got):\n%s", userAgent, status, diff)
		}
	}
	if _, got := ask(t, server, "GET", "/api/v1/users", "ZulipPython/0.9", "", ""); !cmp.Equal(got["muted_topics"], any(ids)) {
		t.Errorf("another answer was changed: %v", got)
	}
}

// Each of several events in one answer is changed, and nothing else.
func TestMutedTopicsInPolls(t *testing.T) {
	t.Parallel()
	calls := 0
	answer := ""
	handler := compat.Wrap(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body := answer
		if r.URL.Path == "/api/v1/streams" {
			calls++
			body = `{"streams":[{"stream_id":7,"name":"a \"b\""},{"stream_id":8,"name":"c"}]}`
		}
		w.Header().Set("Content-Length", strconv.Itoa(len(body)))
		status := http.StatusOK
		if strings.Contains(body, `"error"`) {
			status = http.StatusBadRequest
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}))
	const other = `{"id":1,"type":"message","content":"\"muted_topics\":[[7,1,2]]"}`
	for name, c := range map[string]struct {
		answer, want string
		calls        int
	}{
		"no such event": {`{"events":[` + other + `]}`, `{"events":[` + other + `]}`, 0},
		"an empty list": {
			`{"events":[{"type":"muted_topics","muted_topics":[]}]}`, `{"events":[{"type":"muted_topics","muted_topics":[]}]}`, 0,
		},
		"several": {
			`{"events":[{"type":"muted_topics","muted_topics":[[7,"x",1]]},` + other + `,{"type":"muted_topics","muted_topics":[[9,"y",2],[8,"z",3]]}]}`,
			`{"events":[{"type":"muted_topics","muted_topics":[["a \"b\"","x",1]]},` + other + `,{"type":"muted_topics","muted_topics":[["c","z",3]]}]}`, 1,
		},
		"an error": {`{"result":"error","muted_topics":[[7,"x",1]]}`, `{"result":"error","muted_topics":[[7,"x",1]]}`, 0},
	} {
		answer, calls = c.answer, 0
		w := httptest.NewRecorder()
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/api/v1/events", nil)
		r.Header.Set("User-Agent", "ZulipPython/0.9")
		handler.ServeHTTP(w, r)
		if diff := cmp.Diff(c.want, w.Body.String()); diff != "" || calls != c.calls {
			t.Errorf("%s: %d questions, want %d (-want +got):\n%s", name, calls, c.calls, diff)
		}
		if length := w.Result().Header.Get("Content-Length"); length != strconv.Itoa(w.Body.Len()) {
			t.Errorf("%s: Content-Length %s of %d bytes", name, length, w.Body.Len())
		}
	}
}

// What is behind gets the whole body, whose length isn't that of the one sent, and reads it itself: who calls is
// asked before.
func TestBodyLength(t *testing.T) {
	t.Parallel()
	const sent, want = "a=1&client_gravatar=true", "a=1&client_hosted_avatar=true"
	before := strings.NewReader(sent)
	handler := compat.Wrap(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if before.Len() != len(sent) {
			t.Error("the body was read for nobody")
		}
		body, err := io.ReadAll(r.Body)
		if err != nil || string(body) != want || r.ContentLength != -1 {
			t.Errorf("%q of %d bytes, %v; want %q", body, r.ContentLength, err, want)
		}
	}))
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/api/v1/register", before)
	r.Header.Set("Content-Type", formType)
	handler.ServeHTTP(httptest.NewRecorder(), r)
	if r.ContentLength != int64(len(sent)) {
		t.Error("the caller's request was changed")
	}
}

// A long poll goes through as it came: the same writer, the same request.
func TestEventsPassThrough(t *testing.T) {
	w := httptest.NewRecorder()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/api/v1/events?client_gravatar=true", nil)
	r.Header.Set("User-Agent", "Something/0.9")
	passed := false
	next := http.HandlerFunc(func(gotW http.ResponseWriter, gotR *http.Request) {
		passed = gotW == http.ResponseWriter(w) && gotR == r
	})
	handler := compat.Wrap(next)
	handler.ServeHTTP(w, r)
	if !passed {
		t.Error("the handler behind got another writer or another request")
	}
	if allocations := testing.AllocsPerRun(100, func() { handler.ServeHTTP(w, r) }); allocations != 0 {
		t.Errorf("%v allocations", allocations)
	}
}

// TestMembers shows that such clients get addresses of subscribers, and others ids.
func TestMembers(t *testing.T) {
	t.Parallel()
	type path struct {
		Stream int64 `path:"stream_id"`
	}
	router := endpoint.NewRouter(endpoint.Config{Logger: testbed.Logger(t), Now: time.Now}, []endpoint.Endpoint{
		endpoint.Public(endpoint.About{Route: "GET /streams/{stream_id}/members"},
			func(_ context.Context, _ endpoint.Request, in path) (map[string]any, error) {
				if in.Stream != 7 {
					return nil, errFails
				}
				return map[string]any{"subscribers": []int64{3, 2, 9}}, nil
			}),
		endpoint.Public(endpoint.About{Route: "GET /users"}, func(_ context.Context, from endpoint.Request, _ struct{}) (map[string]any, error) {
			if from.Host != "acme.chat.example" {
				return nil, errFails
			}
			return map[string]any{"members": []map[string]any{{"user_id": 2, "email": "a@x"}, {"user_id": 3, "email": "b@x"}, {"user_id": 4, "email": "c@x"}}}, nil
		}),
	})
	server := httptest.NewServer(compat.Wrap(router))
	t.Cleanup(server.Close)
	for _, c := range []struct {
		path, userAgent string
		status          int
		want            any
	}{
		{"/api/v1/streams/7/members", "ZulipPython/0.9.1 (Linux)", 200, []any{"b@x", "a@x"}},
		{"/api/v1/streams/7/members", "Term/1.0", 200, []any{3.0, 2.0, 9.0}},
		{"/api/v1/streams/8/members", "ZulipPython/0.9.1 (Linux)", 400, nil},
	} {
		status, got := ask(t, server, http.MethodGet, c.path, c.userAgent, "", "")
		if diff := cmp.Diff(c.want, got["subscribers"]); status != c.status || diff != "" {
			t.Errorf("%s, %s: %d %v", c.path, c.userAgent, status, got)
		}
	}
}
