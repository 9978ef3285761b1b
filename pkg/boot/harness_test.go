package boot_test

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"sync"
	"testing"
	"time"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/boot"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/permit"
	"chatserver.dev/pkg/storetest"
	"chatserver.dev/pkg/testbed"
)

// output contains the log of a program.
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

// start runs a program with its own database and Redis until the test ends.
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

// stop shuts the program down and returns the result of Run.
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

// parts returns a function that returns the parts.
func parts(list ...boot.Part) func(boot.Deps) ([]boot.Part, error) {
	return func(boot.Deps) ([]boot.Part, error) { return list, nil }
}

func ping() endpoint.Endpoint {
	return endpoint.Public(endpoint.About{Route: "GET /ping"}, func(context.Context, endpoint.Request, struct{}) (endpoint.Nothing, error) {
		return endpoint.Nothing{}, nil
	})
}

func polled() endpoint.Endpoint {
	return endpoint.New(endpoint.About{Route: "DELETE /events", Who: permit.Anyone, CountedLocally: true},
		func(context.Context, actor.Actor, struct{}) (endpoint.Nothing, error) { return endpoint.Nothing{}, nil })
}

func counted() endpoint.Endpoint {
	return endpoint.New(endpoint.About{Route: "DELETE /counted", Who: permit.Anyone},
		func(context.Context, actor.Actor, struct{}) (endpoint.Nothing, error) { return endpoint.Nothing{}, nil })
}
