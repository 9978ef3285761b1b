package boot_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/boot"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/org"
	"chatserver.dev/pkg/permit"
	"chatserver.dev/pkg/store"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/pkg/testbed"
	"chatserver.dev/pkg/user"
)

// output is what a program logs.
type output struct {
	mutex sync.Mutex
	buf   bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	return o.buf.Write(p)
}

func (o *output) String() string {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	return o.buf.String()
}

// process is a program that runs in the test's process.
type process struct {
	t       *testing.T
	url     string
	log     *output
	cancel  context.CancelFunc
	ended   chan error
	environ []string
}

// start runs a program with a database and Redis of its own until the test ends.
func start(t *testing.T, program boot.Program, environ ...string) *process {
	t.Helper()
	_, database := storetest.OpenURL(t)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	p := &process{t: t, url: "http://" + listener.Addr().String(), log: &output{}, cancel: cancel, ended: make(chan error, 1)}
	p.environ = append([]string{"DATABASE_URL=" + database, "REDIS_URL=" + testbed.Redis(t), "SHUTDOWN_GRACE=5s", "LOG_FORMAT=json"}, environ...)
	program.Name, program.Listener = "test", listener
	started := make(chan struct{})
	program.Started = func(context.Context, boot.Deps) error { close(started); return nil }
	go func() { p.ended <- boot.Run(ctx, p.environ, p.log, program) }()
	select {
	case <-started:
	case err := <-p.ended:
		t.Fatalf("start: %v", err)
	}
	t.Cleanup(func() {
		cancel()
		if t.Failed() {
			t.Log(p.log)
		}
	})
	return p
}

// stop ends the program in order and gives what Run gave.
func (p *process) stop() error {
	p.t.Helper()
	p.cancel()
	select {
	case err := <-p.ended:
		return err
	case <-time.After(30 * time.Second):
		p.t.Fatal("the program doesn't end")
		return nil
	}
}

func (p *process) get(path string) (status int, body string) {
	p.t.Helper()
	response, err := http.Get(p.url + path)
	if err != nil {
		p.t.Fatal(err)
	}
	defer response.Body.Close()
	raw, err := io.ReadAll(response.Body)
	if err != nil {
		p.t.Fatal(err)
	}
	return response.StatusCode, string(raw)
}

// parts gives a function that makes just these parts.
func parts(list ...boot.Part) func(boot.Deps) ([]boot.Part, error) {
	return func(boot.Deps) ([]boot.Part, error) { return list, nil }
}

func ping() endpoint.Endpoint {
	return endpoint.Public(endpoint.About{Route: "GET /ping"}, func(context.Context, endpoint.Request, struct{}) (endpoint.Nothing, error) {
		return endpoint.Nothing{}, nil
	})
}

func polled() endpoint.Endpoint {
	return endpoint.New(endpoint.About{Route: "DELETE /events", Who: permit.Anyone, Rate: endpoint.PerUserLocally},
		func(context.Context, actor.Actor, struct{}) (endpoint.Nothing, error) { return endpoint.Nothing{}, nil })
}

func counted() endpoint.Endpoint {
	return endpoint.New(endpoint.About{Route: "DELETE /counted", Who: permit.Anyone, Rate: endpoint.PerUser},
		func(context.Context, actor.Actor, struct{}) (endpoint.Nothing, error) { return endpoint.Nothing{}, nil })
}

func TestServe(t *testing.T) {
	t.Parallel()
	wrap := func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("X-Wrapped", "yes")
			next.ServeHTTP(w, r)
		})
	}
	page := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, "page "+r.PathValue("n")) })
	part := boot.Part{Name: "a", Endpoints: []endpoint.Endpoint{ping(), polled()}, Pages: map[string]http.Handler{"GET /page/{n}": page}}
	for _, c := range []struct {
		compat, path, wrapped string
		status                int
		body                  string
	}{
		{"true", "/api/v1/ping", "yes", 200, `"result":"success"`},
		{"true", "/api/v1/events", "", 405, `METHOD_NOT_ALLOWED`}, // never wrapped
		{"true", "/api/v1/none", "yes", 404, `NOT_FOUND`},
		{"true", "/none", "yes", 404, `NOT_FOUND`},
		{"true", "/page/7", "", 200, `page 7`},
		{"true", "/healthz", "", 200, "ok"},
		{"true", "/readyz", "", 200, "ok"},
		{"false", "/api/v1/ping", "", 200, `"result":"success"`},
	} {
		t.Run(c.compat+c.path, func(t *testing.T) {
			t.Parallel()
			p := start(t, boot.Program{Wrap: wrap, Parts: parts(part)}, "CHAT_COMPAT="+c.compat)
			response, err := http.Get(p.url + c.path)
			if err != nil {
				t.Fatal(err)
			}
			defer response.Body.Close()
			raw, _ := io.ReadAll(response.Body)
			if response.StatusCode != c.status || !strings.Contains(string(raw), c.body) || response.Header.Get("X-Wrapped") != c.wrapped {
				t.Errorf("%d %s, wrapped %q", response.StatusCode, raw, response.Header.Get("X-Wrapped"))
			}
			if err := p.stop(); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestCallers shows that polls have counts of their own, and that the log tells who calls.
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
		talk := endpoint.New(endpoint.About{Route: "DELETE /talk", Who: permit.Anyone, Rate: endpoint.NotLimited},
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
		{"/events", 200, "1"}, {"/events", 200, "0"}, {"/counted", 200, "1"}, {"/events", 429, "0"}, {"/counted", 200, "0"}, {"/counted", 429, "0"}, {"/talk", 200, ""},
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

// TestShutdown shows the order in which a process ends, with a request that waits.
func TestShutdown(t *testing.T) {
	t.Parallel()
	mutex, order := sync.Mutex{}, []string{}
	note := func(what string) {
		mutex.Lock()
		defer mutex.Unlock()
		order = append(order, what)
	}
	running := func(name string) func(ctx context.Context) error {
		return func(ctx context.Context) error {
			<-ctx.Done()
			note(name + " stopped")
			return nil
		}
	}
	waiting, drained := make(chan struct{}), make(chan struct{})
	wait := endpoint.Public(endpoint.About{Route: "GET /wait"}, func(context.Context, endpoint.Request, struct{}) (endpoint.Nothing, error) {
		close(waiting)
		<-drained
		note("request answered")
		return endpoint.Nothing{}, nil
	})
	var p *process
	p = start(t, boot.Program{Parts: parts(
		boot.Part{Name: "first", Run: running("first"), Endpoints: []endpoint.Endpoint{wait}, Drain: func(_ context.Context, over time.Duration) {
			if over <= 0 || over >= 5*time.Second {
				t.Errorf("drain over %v", over)
			}
			for { // until the listener is closed
				connection, err := net.Dial("tcp", strings.TrimPrefix(p.url, "http://"))
				if err != nil {
					break
				}
				connection.Close()
			}
			note("drained")
			close(drained)
		}},
		boot.Part{Name: "second", Run: running("second")},
	)})
	answered := make(chan int)
	go func() {
		status, _ := p.get("/api/v1/wait")
		answered <- status
	}()
	<-waiting
	p.cancel()
	if status := <-answered; status != http.StatusOK {
		t.Errorf("the request that waited: %d", status)
	}
	if err := p.stop(); err != nil {
		t.Error(err)
	}
	want := []string{"drained", "request answered", "second stopped", "first stopped"}
	if diff := cmp.Diff(want, order); diff != "" {
		t.Errorf("order (-want +got):\n%s", diff)
	}
}

func TestGraceEnds(t *testing.T) {
	t.Parallel()
	waiting, cut := make(chan struct{}), make(chan struct{})
	wait := endpoint.Public(endpoint.About{Route: "GET /wait"}, func(ctx context.Context, _ endpoint.Request, _ struct{}) (endpoint.Nothing, error) {
		close(waiting)
		<-ctx.Done()
		close(cut)
		return endpoint.Nothing{}, ctx.Err()
	})
	p := start(t, boot.Program{Parts: parts(boot.Part{Name: "a", Endpoints: []endpoint.Endpoint{wait}})}, "SHUTDOWN_GRACE=200ms")
	go func() {
		response, err := http.Get(p.url + "/api/v1/wait")
		if err == nil {
			response.Body.Close()
			t.Error("a request that never ends was answered")
		}
	}()
	<-waiting
	if err := p.stop(); err != nil {
		t.Error(err)
	}
	<-cut
}

func TestPartsEndTheProcess(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	for name, c := range map[string]struct {
		program boot.Program
		want    string
	}{
		"error":  {boot.Program{Parts: parts(boot.Part{Name: "crane", Run: func(context.Context) error { return broken }})}, "crane: broken"},
		"return": {boot.Program{Parts: parts(boot.Part{Name: "crane", Run: func(context.Context) error { return nil }})}, "crane ended by itself"},
		"late": {boot.Program{Parts: parts(boot.Part{Name: "crane", Run: func(ctx context.Context) error {
			<-ctx.Done()
			return broken
		}})}, "crane: broken"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := start(t, c.program)
			if name == "late" {
				p.cancel()
			}
			select {
			case err := <-p.ended:
				if err == nil || err.Error() != c.want {
					t.Errorf("%v, want %s", err, c.want)
				}
			case <-time.After(20 * time.Second):
				t.Error("the process goes on")
			}
		})
	}
}

func TestLogShowsConfiguration(t *testing.T) {
	t.Parallel()
	tide := struct {
		Height int `env:"TIDE_HEIGHT" envDefault:"3"`
	}{}
	p := start(t, boot.Program{Settings: []any{&tide}, Parts: parts()}, "TIDE_HEIGHT=4", "LOG_LEVEL=debug")
	_, _ = p.get("/api/v1/none")
	first := map[string]any{}
	line, rest, _ := strings.Cut(p.log.String(), "\n")
	if err := json.Unmarshal([]byte(line), &first); err != nil {
		t.Fatalf("%v in %s", err, line)
	}
	for name, want := range map[string]any{"tide_height": "4", "shutdown_grace": "5s", "rate_limit_per_user": "200/1m0s", "program": "test"} {
		if first[name] != want {
			t.Errorf("%s is %v, want %v", name, first[name], want)
		}
	}
	if !strings.Contains(rest, `"status":404`) {
		t.Errorf("the request isn't logged: %s", rest)
	}
}

func TestMetrics(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := listener.Addr().String()
	listener.Close()
	p := start(t, boot.Program{Parts: func(d boot.Deps) ([]boot.Part, error) {
		counter, err := d.Meter.Int64Counter("tides")
		if err != nil {
			return nil, err
		}
		counter.Add(t.Context(), 3)
		return []boot.Part{{Name: "a", Endpoints: []endpoint.Endpoint{ping()}}}, nil
	}}, "METRICS_ADDR="+addr)
	for range 2 {
		p.get("/api/v1/ping")
	}
	response, err := http.Get("http://" + addr + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	raw, _ := io.ReadAll(response.Body)
	for _, want := range []string{
		`http_server_request_duration_seconds_count{http_response_status_code="200",http_route="GET /api/v1/ping"`, "tides_total{", "go_goroutines ",
	} {
		if !strings.Contains(string(raw), want) {
			t.Errorf("no %s in\n%s", want, raw)
		}
	}
	if status, _ := p.get("/metrics"); status != http.StatusNotFound {
		t.Errorf("metrics are open to everybody: %d", status)
	}
	if err := p.stop(); err != nil {
		t.Error(err)
	}
}
