package compat_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
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
	HostedAvatar bool   `param:"client_hosted_avatar" compat:"client_gravatar" default:"false"`
	Filler       string `param:"filler" default:""`
	Fail         bool   `param:"fail" default:"false"`
}

var errFails = fault.Bad("no")

// reply says what an endpoint got.
type reply struct {
	*compat.Version
	Hosted bool `json:"hosted"`
	Filler int  `json:"filler"` // its length
	Names  bool `json:"names"`
}

// serve starts a server with two endpoints that say what they got.
func serve(t *testing.T, on bool) *httptest.Server {
	t.Helper()
	tell := func(ctx context.Context, _ endpoint.Request, in params) (reply, error) {
		if in.Fail {
			return reply{}, errFails
		}
		return reply{compat.VersionFor(ctx), in.HostedAvatar, len(in.Filler), compat.Names(ctx)}, nil
	}
	router := endpoint.NewRouter(endpoint.Config{Logger: testbed.Logger(t), Now: time.Now, Compat: on}, []endpoint.Endpoint{
		endpoint.Public(endpoint.About{Route: "POST /x", MaxBody: 200 << 10}, tell),
		endpoint.Public(endpoint.About{Route: "GET /x"}, tell),
	})
	server := httptest.NewServer(router)
	t.Cleanup(server.Close)
	return server
}

// ask sends a request and returns status and body.
func ask(t *testing.T, server *httptest.Server, method, query, userAgent, kind, body string) (int, map[string]any) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, server.URL+"/api/v1/x"+query, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
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
		t.Errorf("%s: Content-Length %q, want %s", query, w.Header.Get("Content-Length"), want)
	}
	object := map[string]any{}
	if err := json.Unmarshal(text, &object); err != nil {
		t.Fatalf("%v in %q", err, text)
	}
	return w.StatusCode, object
}

func answer(changes map[string]any) map[string]any {
	all := map[string]any{
		"result": "success", "msg": "", "hosted": false, "filler": 0.0, "names": false, "zulip_version": "3.1", "zulip_feature_level": 27.0,
	}
	for name, value := range changes {
		all[name] = value
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
	server, off := serve(t, true), serve(t, false)
	multipartKind, multipartBody := multipartForm(t, "client_gravatar", "true")
	bad := map[string]any{"result": "error", "code": "BAD_REQUEST", "msg": "no"}
	hosted := answer(map[string]any{"hosted": true})
	long := func(n int) string { return strings.Repeat("x", n) }
	for name, c := range map[string]struct {
		method, query, kind, body string
		status                    int
		want                      map[string]any
	}{
		"nothing":                    {"GET", "", "", "", 200, answer(nil)},
		"an error":                   {"GET", "?fail=true", "", "", 400, bad},
		"a form":                     {"POST", "", formType, "filler=abc", 200, answer(map[string]any{"filler": 3.0})},
		"a form that fails":          {"POST", "", formType, "fail=true", 400, bad},
		"no body":                    {"POST", "", "", "", 200, answer(nil)},
		"other name in a query":      {"GET", "?client_gravatar=true&x=1", "", "", 200, hosted},
		"own name in a query":        {"GET", "?client_hosted_avatar=true", "", "", 200, hosted},
		"both in a query":            {"GET", "?client_gravatar=false&client_hosted_avatar=true", "", "", 200, hosted},
		"other name as a value":      {"GET", "?filler=client_gravatar", "", "", 200, answer(map[string]any{"filler": 15.0})},
		"other name in a form":       {"POST", "", formType + "; charset=utf-8", "filler=a&client_gravatar=true", 200, answer(map[string]any{"hosted": true, "filler": 1.0})},
		"own name in a form":         {"POST", "", formType, "client_hosted_avatar=true", 200, hosted},
		"both in a form":             {"POST", "", formType, "client_gravatar=false&client_hosted_avatar=true", 200, hosted},
		"query of a POST":            {"POST", "?client_gravatar=true", formType, "filler=a", 200, answer(map[string]any{"hosted": true, "filler": 1.0})},
		"other name in multipart":    {"POST", "", multipartKind, multipartBody, 200, hosted},
		"other name in a large form": {"POST", "", formType, "client_gravatar=true&filler=" + long(100<<10), 200, answer(map[string]any{"hosted": true, "filler": float64(100 << 10)})},
	} {
		for _, userAgent := range []string{"Something/1", "ZulipPython/0.9"} {
			want := c.want
			if c.status == http.StatusOK && strings.HasPrefix(userAgent, "Zulip") {
				want = map[string]any{}
				for member, value := range c.want {
					want[member] = value
				}
				want["names"] = true
			}
			status, got := ask(t, server, c.method, c.query, userAgent, c.kind, c.body)
			if diff := cmp.Diff(want, got); status != c.status || diff != "" {
				t.Errorf("%s, %s: status %d, want %d; body (-want +got):\n%s", name, userAgent, status, c.status, diff)
			}
		}
	}
	for userAgent, want := range map[string]bool{"": false, "python-requests/2": false, "NotZulip/1": false, "ZulipTerminal/0.7 (x)": true} {
		if _, got := ask(t, server, "GET", "", userAgent, "", ""); got["names"] != want {
			t.Errorf("%q: names %v", userAgent, got["names"])
		}
	}
	status, got := ask(t, server, "POST", "", "x", formType, "filler="+long(300<<10))
	if status != http.StatusRequestEntityTooLarge || got["result"] != "error" {
		t.Errorf("a body over the limit: %d, %v", status, got)
	}
	_, head := ask(t, server, "HEAD", "", "x", "", "")
	text, err := json.Marshal(answer(nil))
	if err != nil {
		t.Fatal(err)
	}
	if want := strconv.Itoa(len(text) + len("\n")); head["length"] != want {
		t.Errorf("HEAD: length %v, want %s", head["length"], want)
	}

	status, got = ask(t, off, "POST", "", "ZulipPython/0.9", formType, "client_gravatar=true")
	want := map[string]any{"result": "success", "msg": "", "hosted": false, "filler": 0.0, "names": false}
	if diff := cmp.Diff(want, got); status != http.StatusOK || diff != "" {
		t.Errorf("turned off: status %d (-want +got):\n%s", status, diff)
	}
}
