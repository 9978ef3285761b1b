package boot_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/boot"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/permit"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/testbed"
	"chatserver.dev/pkg/user"
)

func TestServe(t *testing.T) {
	t.Parallel()
	compat := endpoint.Public(endpoint.About{Route: "GET /compat"}, func(ctx context.Context, _ endpoint.Request, _ struct{}) (map[string]bool, error) {
		_, on := endpoint.Compat(ctx)
		return map[string]bool{"compat": on}, nil
	})
	page := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, "page "+r.PathValue("n")) })
	part := boot.Part{Name: "a", Endpoints: []endpoint.Endpoint{ping(), polled(), compat}, Pages: map[string]http.Handler{"GET /page/{n}": page, "GET /api/page/{n}": page}}
	for _, c := range []struct {
		compat, path string
		status       int
		body         string
	}{
		{"true", "/api/v1/ping", 200, `"result":"success"`},
		{"true", "/api/v1/events", 405, `METHOD_NOT_ALLOWED`},
		{"true", "/api/v1/none", 404, `NOT_FOUND`},
		{"true", "/api/v1/generate_204", 204, ""},
		{"true", "/none", 404, `NOT_FOUND`},
		{"true", "/nothing/at/all", 404, `NOT_FOUND`},
		{"true", "/page/7", 200, `page 7`},
		{"true", "/api/page/7", 200, `page 7`},
		{"true", "/api/none", 404, `NOT_FOUND`},
		{"true", "/healthz", 200, "ok"},
		{"true", "/readyz", 200, "ok"},
		{"true", "/api/v1/compat", 200, `"compat":true`},
		{"false", "/api/v1/compat", 200, `"compat":false`},
	} {
		t.Run(c.compat+c.path, func(t *testing.T) {
			t.Parallel()
			p := start(t, boot.Program{Parts: parts(part)}, "CHAT_COMPAT="+c.compat)
			response, err := http.Get(p.url + c.path)
			if err != nil {
				t.Fatal(err)
			}
			defer response.Body.Close()
			raw, _ := io.ReadAll(response.Body)
			if kind := response.Header.Get("Content-Type"); c.status >= 400 && kind != "application/json" || response.Header.Get("X-Content-Type-Options") != "nosniff" {
				t.Errorf("type %q, headers %v", kind, response.Header)
			}
			if response.StatusCode != c.status || !strings.Contains(string(raw), c.body) {
				t.Errorf("%d %s", response.StatusCode, raw)
			}
			if err := p.stop(); err != nil {
				t.Error(err)
			}
		})
	}
}

// A request's line and headers together have 16 KiB at most, and package http's 4 KiB beyond.
func TestLargeHead(t *testing.T) {
	t.Parallel()
	p := start(t, boot.Program{Parts: parts(boot.Part{Name: "a", Endpoints: []endpoint.Endpoint{ping()}})})
	for size, want := range map[int]int{15 << 10: http.StatusOK, 21 << 10: http.StatusRequestHeaderFieldsTooLarge} {
		response, err := http.Get(p.url + "/api/v1/ping?ids=" + strings.Repeat("1", size))
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close()
		if response.StatusCode != want {
			t.Errorf("%d bytes: %d", size, response.StatusCode)
		}
	}
	if err := p.stop(); err != nil {
		t.Error(err)
	}
}

// TestCallers shows that polls are counted separately, and that the log contains the caller.
func TestCallers(t *testing.T) {
	t.Parallel()
	email, key := "ann@chat.example", ""
	prepare := func(ctx context.Context, d boot.Deps) error {
		_, err := d.Orgs.Create(ctx, org.Draft{Name: "Plant", Settings: org.Defaults()}, func(tx *store.Tx, made org.Org) (err error) {
			_, key, err = user.New(d.DB, d.Orgs, d.Now).Create(ctx, tx, made, user.Draft{RealEmail: email, FullName: "Ann", Role: actor.Member})
			return err
		})
		return err
	}
	logged := func(d boot.Deps) ([]boot.Part, error) {
		talk := endpoint.New(endpoint.About{Route: "DELETE /talk", Who: permit.Anyone},
			func(ctx context.Context, _ actor.Actor, _ struct{}) (endpoint.Nothing, error) {
				d.Logger.InfoContext(ctx, "talked")
				return endpoint.Nothing{}, nil
			})
		return []boot.Part{{Name: "a", Endpoints: []endpoint.Endpoint{polled(), counted(), talk}}}, nil
	}
	p := start(t, boot.Program{Prepare: prepare, Parts: logged}, "RATE_LIMIT_PER_USER=2/1h")
	for i, c := range []struct {
		path   string
		status int
		left   string
	}{
		{"/talk", 200, "1"}, {"/events", 200, "1"}, {"/events", 200, "0"}, {"/counted", 200, "0"}, {"/events", 429, "0"}, {"/counted", 429, "0"},
	} {
		request, err := http.NewRequest(http.MethodDelete, p.url+"/api/v1"+c.path, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		request.SetBasicAuth(email, key)
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		if left := response.Header.Get("X-RateLimit-Remaining"); response.StatusCode != c.status || left != c.left {
			t.Errorf("call %d of %s: %d with %s left", i, c.path, response.StatusCode, left)
		}
		if id := response.Header.Get("X-Request-Id"); c.path == "/talk" {
			_, line, _ := strings.Cut(p.log.String(), `"msg":"talked"`)
			if want := `"request_id":"` + id + `","org":1,"user":`; !strings.Contains(line, want) {
				t.Errorf("logged %s, want %s", line, want)
			}
		}
	}
}

func TestReadiness(t *testing.T) {
	t.Parallel()
	failing := boot.Part{Name: "tide", Ready: func(context.Context) error { return errors.New("secret reason") }}
	p := start(t, boot.Program{Parts: parts(failing)})
	if status, body := p.get("/readyz"); status != http.StatusServiceUnavailable || body != "tide is not ready\n" {
		t.Errorf("%d %s", status, body)
	}
	if status, _ := p.get("/healthz"); status != http.StatusOK {
		t.Errorf("alive: %d", status)
	}
	if !strings.Contains(p.log.String(), "secret reason") {
		t.Error("the reason isn't logged")
	}
}

// No listener and no path waits for a body that isn't read.
func TestBodiesEverywhere(t *testing.T) {
	t.Parallel()
	addr := testbed.FreeAddr(t)
	page := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "page") })
	part := boot.Part{Name: "a", Endpoints: []endpoint.Endpoint{counted(), polled()}, Pages: map[string]http.Handler{"/page": page}}
	p := start(t, boot.Program{Parts: parts(part)}, "METRICS_ADDR="+addr)
	for _, c := range []struct {
		base, method, path string
		status             int
	}{
		{p.url, "POST", "/healthz", 404},
		{p.url, "POST", "/none", 404},
		{p.url, "POST", "/api/v1/none", 404},
		{p.url, "POST", "/page", 200},
		{p.url, "DELETE", "/api/v1/counted", 401},
		{p.url, "DELETE", "/api/v1/events", 401},
		{"http://" + addr, "POST", "/metrics", 405},
	} {
		body, held := io.Pipe()
		ctx, cancel := context.WithTimeout(t.Context(), 15*time.Second)
		request, err := http.NewRequestWithContext(ctx, c.method, c.base+c.path, body)
		if err != nil {
			t.Fatal(err)
		}
		response, err := http.DefaultTransport.RoundTrip(request)
		if err != nil {
			t.Fatalf("%s %s: %v", c.method, c.path, err)
		}
		_ = response.Body.Close()
		if response.StatusCode != c.status || !response.Close {
			t.Errorf("%s %s: %d, closed: %v", c.method, c.path, response.StatusCode, response.Close)
		}
		_ = held.Close()
		cancel()
	}
}

// Handlers learn how long a connection waited for its turn. The connection's later requests didn't wait.
func TestWaited(t *testing.T) {
	t.Parallel()
	const connections = 200
	waited := endpoint.Public(endpoint.About{Route: "GET /waited"}, func(ctx context.Context, _ endpoint.Request, _ struct{}) (map[string]float64, error) {
		return map[string]float64{"waited": endpoint.Waited(ctx).Seconds()}, nil
	})
	p := start(t, boot.Program{Parts: parts(boot.Part{Name: "a", Endpoints: []endpoint.Endpoint{waited}})})
	type body struct {
		Waited float64 `json:"waited"`
	}
	ask := func(client *http.Client) (answer body) {
		response, err := client.Get(p.url + "/api/v1/waited")
		if err != nil {
			t.Error(err)
			return answer
		}
		defer response.Body.Close()
		if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
			t.Error(err)
		}
		_, _ = io.Copy(io.Discard, response.Body) // so that the connection is used again
		return answer
	}
	longest, mutex, all := 0.0, sync.Mutex{}, sync.WaitGroup{}
	start := time.Now()
	for range connections {
		all.Go(func() {
			transport := &http.Transport{}
			defer transport.CloseIdleConnections()
			client := &http.Client{Transport: transport}
			first := ask(client).Waited
			if again := ask(client).Waited; again != 0 {
				t.Errorf("the second request of a connection waited %v s", again)
			}
			mutex.Lock()
			defer mutex.Unlock()
			longest = max(longest, first)
		})
	}
	all.Wait()
	if took := time.Since(start).Seconds(); longest < took/10 || longest > took {
		t.Errorf("%d connections took %v s, of which one waited %v s at most", connections, took, longest)
	}
	if err := p.stop(); err != nil {
		t.Error(err)
	}
}
