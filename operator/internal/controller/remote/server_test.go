package remote_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"chatserver.dev/pkg/localserver"
	"chatserver.dev/pkg/testbed"
)

const (
	adminToken = "the-admin-token-of-the-tests"
	chatHost   = "chat.example"
)

// chatServer is a chatserver that runs, with its own PostgreSQL and Redis. The tests of the process share it, each
// with organizations of its own.
type chatServer struct {
	admin string // address of the admin interface
	http  *http.Client

	process  *exec.Cmd
	ended    chan struct{}
	postgres *localserver.Postgres
	redis    *localserver.Redis
	dir      string
}

var shared struct {
	sync.Mutex
	server *chatServer
}

// sharedServer returns the tests' server, which the first call starts.
func sharedServer(t *testing.T) *chatServer {
	t.Helper()
	shared.Lock()
	defer shared.Unlock()
	if shared.server == nil {
		s, err := startServer(context.WithoutCancel(t.Context()))
		if err != nil {
			t.Fatalf("start chatserver: %v", err)
		}
		shared.server = s
	}
	return shared.server
}

func startServer(ctx context.Context) (*chatServer, error) {
	testbed.Uncached()
	dir, err := os.MkdirTemp("", "chatserver")
	if err != nil {
		return nil, err
	}
	program := filepath.Join(dir, "chatserver")
	build := exec.CommandContext(ctx, "go", "build", "-C", filepath.Join(root, "services"), "-o", program, "./cmd/chatserver")
	if out, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%w\n%s", err, out)
	}
	postgres, err := localserver.StartPostgres(ctx, localserver.Options{})
	if err != nil {
		return nil, err
	}
	redis, err := localserver.StartRedis(ctx, localserver.Options{})
	if err != nil {
		return nil, err
	}
	chat, err := localserver.FreeAddr(ctx)
	if err != nil {
		return nil, err
	}
	admin, err := localserver.FreeAddr(ctx)
	if err != nil {
		return nil, err
	}
	process := exec.CommandContext(ctx, program)
	process.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "CHAT_ADDR=" + chat, "ADMIN_ADDR=" + admin, "ADMIN_TOKEN=" + adminToken,
		"DATABASE_URL=" + postgres.URL("postgres"), "REDIS_URL=" + redis.URL(), "EXTERNAL_HOST=" + chatHost, "EXTERNAL_SCHEME=http",
		"SHUTDOWN_GRACE=2s", "LOG_LEVEL=warn", "RATE_LIMIT_PER_USER=10000/60s",
	}
	process.Stderr = os.Stderr
	if err := process.Start(); err != nil {
		return nil, err
	}
	s := &chatServer{admin: "http://" + admin, process: process, ended: make(chan struct{}), postgres: postgres, redis: redis, dir: dir}
	go func() {
		defer close(s.ended)
		_ = process.Wait() // a failure shows in the tests
	}()
	s.http = &http.Client{Timeout: time.Minute, Transport: &http.Transport{
		// Whatever the organization, it is at this address.
		DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, network, chat)
		},
	}}
	return s, s.waitReady(ctx)
}

// waitReady waits until the server answers.
func (s *chatServer) waitReady(ctx context.Context) error {
	for start := time.Now(); time.Since(start) < time.Minute; time.Sleep(50 * time.Millisecond) {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+chatHost+"/readyz", http.NoBody)
		if err != nil {
			return err
		}
		response, err := s.http.Do(request)
		select {
		case <-s.ended:
			return errors.New("it ended")
		default:
		}
		if err != nil {
			continue
		}
		_ = response.Body.Close()
		if response.StatusCode == http.StatusOK {
			return nil
		}
	}
	return errors.New("it isn't ready after a minute")
}

// removeServer stops the shared server if one was started, and removes its data.
func removeServer() error {
	s := shared.server
	if s == nil {
		return nil
	}
	if err := s.process.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	<-s.ended
	if err := s.redis.Stop(); err != nil {
		return err
	}
	if err := s.postgres.Stop(); err != nil {
		return err
	}
	return os.RemoveAll(s.dir)
}

// call sends a request to an organization's HTTP API with a key, and returns the status and body of the response.
func (s *chatServer) call(t *testing.T, method, address, email, key, body string) (status int, answer string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, address, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if email != "" {
		request.SetBasicAuth(email, key)
	}
	kind := "application/x-www-form-urlencoded"
	if strings.HasPrefix(body, "{") {
		kind = "application/json"
	}
	request.Header.Set("Content-Type", kind)
	response, err := s.http.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(text)
}
