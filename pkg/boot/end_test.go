package boot_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"chatserver.dev/pkg/boot"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/testbed"
)

// TestShutdown shows the order in which a process ends while a request is in progress, which begins after the delay.
func TestShutdown(t *testing.T) {
	t.Parallel()
	const delay = 100 * time.Millisecond
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
	)}, "SHUTDOWN_DELAY="+delay.String())
	answered := make(chan int)
	go func() {
		status, _ := p.get("/api/v1/wait")
		answered <- status
	}()
	<-waiting
	started := time.Now()
	p.cancel()
	if status := <-answered; status != http.StatusOK {
		t.Errorf("the request in progress: %d", status)
	}
	if took := time.Since(started); took < delay {
		t.Errorf("the listener was closed after %v, want %v at least", took, delay)
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
			t.Error("a request that never ends got a response")
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
				t.Error("the process is still running")
			}
		})
	}
}

// TestDelay shows that requests are served during the delay, on connections that are closed after each response. A part that fails
// ends the delay.
func TestDelay(t *testing.T) {
	t.Parallel()
	page := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) })
	broken, fail := errors.New("broken"), make(chan struct{})
	p := start(t, boot.Program{Parts: parts(boot.Part{
		Name: "a", Endpoints: []endpoint.Endpoint{ping()}, Pages: map[string]http.Handler{"GET /page": page},
		Run: func(context.Context) error {
			<-fail
			return broken
		},
	})}, "SHUTDOWN_DELAY=1h")
	ask := func(path string) (status int, closes bool) {
		t.Helper()
		response, err := http.Get(p.url + path)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		return response.StatusCode, response.Close
	}
	for _, path := range []string{"/api/v1/ping", "/page", "/readyz"} {
		if status, closes := ask(path); status != http.StatusOK || closes {
			t.Errorf("%s before: %d, closes %v", path, status, closes)
		}
	}
	p.cancel()
	testbed.Until(t, "the process isn't ready", func() bool {
		status, _ := ask("/readyz")
		return status == http.StatusServiceUnavailable
	})
	for path, want := range map[string]int{"/api/v1/ping": 200, "/page": 200, "/healthz": 200, "/readyz": 503, "/api/v1/none": 404} {
		if status, closes := ask(path); status != want || !closes {
			t.Errorf("%s in the delay: %d, closes %v", path, status, closes)
		}
	}
	close(fail)
	if err := p.stop(); !errors.Is(err, broken) {
		t.Errorf("it ended with %v", err)
	}
}
