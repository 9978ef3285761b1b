package password

import (
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"runtime"
	"syscall"
	"time"
)

// hashTimeout is the maximum time that a process may take for a hash. A hash needs about 20 ms of CPU time, but the
// process has the lowest priority.
const hashTimeout = 30 * time.Second

// process computes hashes in a child process.
type process struct {
	command []string
	timeout time.Duration

	running *exec.Cmd // nil: it must be started
	jobs    io.Closer
	ask     *gob.Encoder
	answers *gob.Decoder
}

// compute computes a hash in the child process. It starts the process if it isn't running, and retries once if the
// process has ended meanwhile. It fails with [ErrBusy]. If ctx ends, it completes a hash that it has begun, because
// starting another process would cost more.
func (p *process) compute(ctx context.Context, j job) (key []byte, err error) {
	ctx, stop := context.WithTimeoutCause(context.WithoutCancel(ctx), p.timeout, fmt.Errorf("the process took longer than %v: %w", p.timeout, context.DeadlineExceeded))
	defer stop()
	for range 2 {
		if key, err = p.try(ctx, j); err == nil || ctx.Err() != nil {
			break
		}
	}
	if slow := context.Cause(ctx); err != nil && slow != nil {
		err = slow // instead of the error that the killed process wrote nothing
	}
	if err != nil {
		return nil, ErrBusy.Wrap(fmt.Errorf("compute a hash in another process: %w", err))
	}
	return key, nil
}

func (p *process) try(ctx context.Context, j job) (key []byte, err error) {
	if p.running == nil {
		if err := p.start(); err != nil {
			return nil, err
		}
	}
	kill := p.running.Process.Kill
	leave := context.AfterFunc(ctx, func() { _ = kill() }) // awaited below
	if err = p.ask.Encode(j); err == nil {
		err = p.answers.Decode(&key)
	}
	if !leave() || err != nil {
		_ = kill() // it may have ended already
		_ = p.close()
	}
	return key, err
}

func (p *process) start() error {
	cmd := exec.Command(p.command[0], p.command[1:]...) //nolint:gosec,noctx // its own program, for many callers
	cmd.Env = []string{"GOMAXPROCS=1"}                  // without the secrets in this process's environment
	// The child has its own session, so that Ctrl-C in a terminal reaches only this process, which then ends its
	// children. See also [yield].
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	jobs, err := cmd.StdinPipe()
	if err != nil {
		return fmt.Errorf("connect to a process for hashes: %w", err)
	}
	answers, err := cmd.StdoutPipe()
	if err != nil {
		return fmt.Errorf("connect to a process for hashes: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start a process for hashes: %w", err)
	}
	p.running, p.jobs, p.ask, p.answers = cmd, jobs, gob.NewEncoder(jobs), gob.NewDecoder(answers)
	return nil
}

// close ends the process by closing its input.
func (p *process) close() error {
	if p.running == nil {
		return nil
	}
	running := p.running
	p.running = nil
	return errors.Join(p.jobs.Close(), running.Wait())
}

// Serve computes hashes for the [NewProcessHasher] of the parent process until in ends. It sets the lowest priority for
// its own process.
func Serve(in io.Reader, out io.Writer) error {
	if err := yield(); err != nil {
		return fmt.Errorf("lower the priority: %w", err)
	}
	jobs, answers := gob.NewDecoder(in), gob.NewEncoder(out)
	for {
		j := job{}
		switch err := jobs.Decode(&j); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fmt.Errorf("read a request for a hash: %w", err)
		}
		if err := answers.Encode(j.key()); err != nil {
			return fmt.Errorf("write a hash: %w", err)
		}
		runtime.GC() // the next hash reuses the memory of this one
	}
}
