package crashtest

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"net/http"
	"os/exec"
	"sync"
	"testing"
	"time"

	"chatserver.dev/services/systemtest"
)

// Process is a service that is started again whenever it ends, as Kubernetes does.
type Process struct {
	system *System
	name   string
	path   string // of the program
	addr   string
	env    []string

	mutex   sync.Mutex
	command *exec.Cmd
	ending  bool
	done    chan struct{}
	output  *output
}

// Service starts a service by its name, with more of an environment. It keeps its address.
func (s *System) Service(name string, env ...string) *Process {
	s.t.Helper()
	p := &Process{system: s, name: name, path: systemtest.Binary(s.t, name), addr: freeAddr(s.t), done: make(chan struct{}), output: &output{}}
	p.env = s.environ(p.addr, env)
	if err := p.start(); err != nil {
		s.t.Fatal(err)
	}
	go p.keep()
	s.t.Cleanup(p.end)
	p.await()
	return p
}

// freeAddr is an address that nobody listens at.
func freeAddr(t testing.TB) string {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close() //nolint:errcheck // it only reserved a port
	return listener.Addr().String()
}

// Name is the service's.
func (p *Process) Name() string { return p.name + " " + p.addr }

// URL is where it serves.
func (p *Process) URL() string { return "http://" + p.addr }

// Kill kills the process. It is started again.
func (p *Process) Kill() {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	_ = p.command.Process.Kill() // it may have ended just now
}

func (p *Process) start() error {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if p.ending {
		return nil
	}
	p.command = exec.Command(p.path) //nolint:gosec,noctx // our own program; it ends by p.end
	p.command.Env = p.env
	p.command.Stdout, p.command.Stderr = p.output, p.output
	if err := p.command.Start(); err != nil {
		return fmt.Errorf("start %s: %w", p.name, err)
	}
	return nil
}

// keep starts the process again until it is told to end.
func (p *Process) keep() {
	defer close(p.done)
	for {
		p.mutex.Lock()
		command := p.command
		p.mutex.Unlock()
		_ = command.Wait() // how it ended is in its output
		p.system.ended.Add(1)
		p.mutex.Lock()
		ending := p.ending
		p.mutex.Unlock()
		if ending {
			return
		}
		time.Sleep(50 * time.Millisecond) // not in a busy loop where it can't start
		if err := p.start(); err != nil {
			p.system.t.Error(err)
			return
		}
	}
}

func (p *Process) end() {
	p.mutex.Lock()
	p.ending = true
	_ = p.command.Process.Kill() // it may have ended just now
	p.mutex.Unlock()
	<-p.done
	if p.system.t.Failed() {
		p.system.t.Logf("%s:\n%s", p.Name(), p.output)
	}
}

// await returns when the service answers.
func (p *Process) await() {
	p.system.t.Helper()
	ctx, cancel := context.WithTimeout(p.system.t.Context(), 30*time.Second)
	defer cancel()
	for {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, p.URL()+"/readyz", nil)
		if err != nil {
			p.system.t.Fatal(err)
		}
		response, err := http.DefaultClient.Do(request)
		if err == nil {
			_ = response.Body.Close()
			if response.StatusCode == http.StatusOK {
				return
			}
		}
		if ctx.Err() != nil {
			p.system.t.Fatalf("%s isn't ready:\n%s", p.name, p.output)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// output keeps the end of what a process said.
type output struct {
	mutex sync.Mutex
	text  bytes.Buffer
}

// Write keeps text.
func (o *output) Write(text []byte) (int, error) {
	const most = 64 << 10
	o.mutex.Lock()
	defer o.mutex.Unlock()
	if o.text.Len() > most {
		o.text.Next(o.text.Len() - most/2)
	}
	return o.text.Write(text)
}

// String is what was kept.
func (o *output) String() string {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	return o.text.String()
}
