package systemtest_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

const (
	// startTime bounds how long a program may take until it is ready.
	startTime = 60 * time.Second
	// stopTime bounds how long it may take to end.
	stopTime = 40 * time.Second
	// pulse is how often a starting program is looked at, and how soon one that ended is started again.
	pulse = 20 * time.Millisecond
)

// Process is a program. It may be used by several goroutines.
type Process struct {
	t    testing.TB
	path string
	env  []string
	addr string
	log  *text

	descriptors int // how many files it may have open; 0: as many as the test

	mutex sync.Mutex
	now   *run // the one that runs or ran last; nil before the first
	over  bool // the test has ended: nothing is started any more
}

// run is one life of a program.
type run struct {
	cmd  *exec.Cmd
	done chan struct{}
	err  error // what it ended with, once done is closed
}

// NewProcess returns a program of services/cmd, with its own free port, that isn't started. Its
// environment is the given variables, and of the test's own only what programs need in general. It
// ends with the test, at the latest.
func NewProcess(t testing.TB, command string, env ...string) *Process {
	t.Helper()
	p := &Process{t: t, path: Binary(t, command), addr: FreeAddr(t), log: &text{}}
	p.env = append([]string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "CHAT_ADDR=" + p.addr, "LOG_FORMAT=text", "SHUTDOWN_GRACE=10s",
	}, env...)
	t.Cleanup(func() {
		p.end()
		if t.Failed() {
			t.Logf("log of %s:\n%s", command, p.Log())
		}
	})
	return p
}

// FreeAddr returns an address that nobody listens at. Somebody may take it before it is used, which
// the program then says.
func FreeAddr(t testing.TB) string {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return listener.Addr().String()
}

// Launch starts the program and doesn't wait.
func (p *Process) Launch(args ...string) {
	p.t.Helper()
	if _, err := p.launch(args...); err != nil {
		p.t.Fatal(err)
	}
}

// launch starts the program, unless the test has ended; then it returns nil.
func (p *Process) launch(args ...string) (*run, error) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if p.over {
		return nil, nil //nolint:nilnil // nil is the documented answer
	}
	ctx := context.WithoutCancel(p.t.Context())
	cmd := exec.CommandContext(ctx, p.path, args...)
	if p.descriptors > 0 {
		limited := []string{"-c", `ulimit -n "$0" && exec "$@"`, strconv.Itoa(p.descriptors), p.path}
		cmd = exec.CommandContext(ctx, "/bin/sh", append(limited, args...)...)
	}
	cmd.Env = p.env
	cmd.Stdout, cmd.Stderr = p.log, p.log
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", p.path, err)
	}
	r := &run{cmd: cmd, done: make(chan struct{})}
	p.now = r
	go func() {
		r.err = cmd.Wait()
		close(r.done)
	}()
	return r, nil
}

// latest is the run that there is or was last.
func (p *Process) latest() *run {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	return p.now
}

// keep starts the program again whenever it has ended, and counts that.
func (p *Process) keep(ended *atomic.Int64) {
	kept := make(chan struct{})
	go func() {
		defer close(kept)
		for r := p.latest(); r != nil; {
			<-r.done
			time.Sleep(pulse)
			next, err := p.launch()
			if err != nil {
				p.t.Error(err)
			}
			if next != nil {
				ended.Add(1)
			}
			r = next
		}
	}()
	p.t.Cleanup(func() {
		p.end()
		<-kept
	})
}

// end kills the program and lets nothing start it again.
func (p *Process) end() {
	p.mutex.Lock()
	p.over = true
	p.mutex.Unlock()
	p.Kill()
}

// Start starts the program, again at the same address, and waits until it is ready.
func (p *Process) Start() {
	p.t.Helper()
	p.Launch()
	if err := p.WaitReady(startTime); err != nil {
		p.t.Fatalf("%s: %v", p.path, err)
	}
}

// WaitReady waits until the program is ready; the error says that it ended, or takes too long.
func (p *Process) WaitReady(within time.Duration) error {
	client := http.Client{Timeout: 5 * time.Second}
	defer client.CloseIdleConnections()
	now := p.latest()
	deadline := time.After(within)
	for {
		if p.isReady(&client) {
			return nil
		}
		select {
		case <-now.done:
			return fmt.Errorf("it ended before it was ready: %w", now.err)
		case <-deadline:
			return errors.New("it isn't ready in time")
		case <-time.After(pulse):
		}
	}
}

func (p *Process) isReady(client *http.Client) bool {
	request, err := http.NewRequestWithContext(p.t.Context(), http.MethodGet, p.URL()+"/readyz", http.NoBody)
	if err != nil {
		return false
	}
	response, err := client.Do(request)
	if err != nil {
		return false
	}
	return response.Body.Close() == nil && response.StatusCode == http.StatusOK
}

// Name is the program's.
func (p *Process) Name() string { return filepath.Base(p.path) }

// URL is where the program serves, without a slash at the end.
func (p *Process) URL() string { return "http://" + p.addr }

// PID is the program's process, which runs or ran last.
func (p *Process) PID() int { return p.latest().cmd.Process.Pid }

// Kill ends the program by SIGKILL and waits for its end. It does nothing where it has ended.
func (p *Process) Kill() {
	now := p.latest()
	if now == nil {
		return
	}
	_ = now.cmd.Process.Kill() // it may have ended
	<-now.done
}

// Freeze has the program stand still until thaw is called. It does nothing where it has ended.
func (p *Process) Freeze() (thaw func()) {
	now := p.latest()
	_ = now.cmd.Process.Signal(syscall.SIGSTOP)
	return func() { _ = now.cmd.Process.Signal(syscall.SIGCONT) }
}

// Signal sends a signal.
func (p *Process) Signal(signal syscall.Signal) {
	p.t.Helper()
	if err := p.latest().cmd.Process.Signal(signal); err != nil {
		p.t.Errorf("signal %v: %v", signal, err)
	}
}

// Wait returns what the program ended with: nil for an end in order.
func (p *Process) Wait() error {
	now := p.latest()
	select {
	case <-now.done:
		return now.err
	case <-time.After(stopTime):
		return errors.New("it doesn't end")
	}
}

// Stop ends the program by SIGTERM, in order.
func (p *Process) Stop() {
	p.t.Helper()
	p.Signal(syscall.SIGTERM)
	if err := p.Wait(); err != nil {
		p.t.Errorf("%s: %v", p.path, err)
	}
}

// Log returns everything that the program has printed since it was created.
func (p *Process) Log() string { return p.log.String() }

// text is what a program prints.
type text struct {
	mutex sync.Mutex
	buf   bytes.Buffer
}

// LogWhen returns the log when it is as ok wants it, or after ten seconds: what a process has written gets here a
// little later.
func (p *Process) LogWhen(ok func(log string) bool) string {
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		if log := p.Log(); ok(log) || time.Now().After(deadline) {
			return log
		}
	}
}

// Write appends.
func (t *text) Write(p []byte) (int, error) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	return t.buf.Write(p)
}

// String returns everything.
func (t *text) String() string {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	return t.buf.String()
}
