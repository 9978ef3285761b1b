package systemtest_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
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

	"chatserver.dev/pkg/testbed"
)

const (
	// startTime is the maximum time until a program is ready.
	startTime = 2 * time.Minute
	// stopTime is the maximum time until a program has ended, after SIGTERM or when its work is done, such as all migrations.
	stopTime = 2 * time.Minute
	// pulse is the interval at which a starting program is checked, and the delay before an ended one is restarted.
	pulse = 20 * time.Millisecond
)

// Process is a program. It may be used by several goroutines.
type Process struct {
	t    testing.TB
	path string
	env  []string
	addr string
	log  *text

	descriptors int // maximum number of open files; 0: the test's

	mutex sync.Mutex
	now   *run // the current or last run; nil before the first
	over  bool // the test has ended, so the program isn't started any more
}

// run is one process of a program.
type run struct {
	cmd  *exec.Cmd
	done chan struct{}
	err  error // the error of the process, once done is closed
}

// NewProcess returns a program of services/cmd with its own free port, without starting it. Its environment has the
// given variables, and only the essential ones of the test's. It ends with the test, at the latest.
func NewProcess(t testing.TB, command string, env ...string) *Process {
	t.Helper()
	p := &Process{t: t, path: Binary(t, command), addr: testbed.FreeAddr(t), log: &text{}}
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

// Launch starts the program without waiting until it is ready.
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

// latest returns the current or last run.
func (p *Process) latest() *run {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	return p.now
}

// keep restarts the program whenever it has ended, and counts the restarts.
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

// end kills the program and prevents further starts.
func (p *Process) end() {
	p.mutex.Lock()
	p.over = true
	p.mutex.Unlock()
	p.Kill()
}

// Start starts the program, always at the same address, and waits until it is ready.
func (p *Process) Start() {
	p.t.Helper()
	p.Launch()
	if err := p.WaitReady(startTime); err != nil {
		p.t.Fatalf("%s: %v", p.path, err)
	}
}

// WaitReady waits until the program is ready. It fails if the program ends or takes too long.
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

// Name returns the program's name.
func (p *Process) Name() string { return filepath.Base(p.path) }

// URL returns the program's address, without a trailing slash.
func (p *Process) URL() string { return "http://" + p.addr }

// PID returns the ID of the program's current or last process.
func (p *Process) PID() int { return p.latest().cmd.Process.Pid }

// Kill ends the program by SIGKILL and waits for its end. It does nothing if the program has ended.
func (p *Process) Kill() {
	now := p.latest()
	if now == nil {
		return
	}
	_ = now.cmd.Process.Kill() // it may have ended
	<-now.done
}

// Freeze stops the program until thaw is called. It does nothing if the program has ended.
func (p *Process) Freeze() (thaw func()) {
	now := p.latest()
	_ = now.cmd.Process.Signal(syscall.SIGSTOP)
	return func() { _ = now.cmd.Process.Signal(syscall.SIGCONT) }
}

// Signal sends a signal to the program.
func (p *Process) Signal(signal syscall.Signal) {
	p.t.Helper()
	if err := p.latest().cmd.Process.Signal(signal); err != nil {
		p.t.Errorf("signal %v: %v", signal, err)
	}
}

// Wait waits for the end of the program, and returns its error, or nil for a normal end.
func (p *Process) Wait() error {
	now := p.latest()
	select {
	case <-now.done:
		return now.err
	case <-time.After(stopTime):
		return errors.New("it doesn't end")
	}
}

// Stop ends the program by SIGTERM, and fails the test unless it ends normally.
func (p *Process) Stop() {
	p.t.Helper()
	p.Signal(syscall.SIGTERM)
	if err := p.Wait(); err != nil {
		p.t.Errorf("%s: %v", p.path, err)
	}
}

// Log returns the output of all runs of the program.
func (p *Process) Log() string { return p.log.String() }

// text is the output of a program.
type text struct {
	mutex sync.Mutex
	buf   bytes.Buffer
}

// LogWhen waits until ok accepts the log, for at most a minute, and returns the log. Output of a process arrives with a
// delay.
func (p *Process) LogWhen(ok func(log string) bool) string {
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
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
