package private

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"time"
)

// patience is how long a server may take to stop before it is killed.
const patience = 30 * time.Second

// launch describes how a server is run.
type launch struct {
	path string
	args []string
	as   account
	log  string         // file for what the server prints
	at   *place         // where it runs
	stop syscall.Signal // the server's way to be asked to end
}

// process is one run of a server.
type process struct {
	pid  int
	done chan struct{}
	err  error // why it ended; to be read once done is closed
}

// start runs the server until Stop; the end of ctx doesn't stop it.
func (l launch) start(ctx context.Context, socket string) (*process, error) {
	log, err := os.OpenFile(l.log, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open the server's log: %w", err)
	}
	defer log.Close() //nolint:errcheck // the server has its own copy, nothing was written to this one.

	cmd := exec.CommandContext(context.WithoutCancel(ctx), l.path, l.args...)
	cmd.Stdout, cmd.Stderr = log, log
	cmd.Dir = "/"
	// Its own group: Ctrl-C in a terminal reaches the owner, which then stops its servers in order.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Credential: l.as.credential()}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", l.path, err)
	}

	p := &process{pid: cmd.Process.Pid, done: make(chan struct{})}
	err = os.WriteFile(l.at.note(), fmt.Appendf(nil, "%d\n%s\n", p.pid, socket), 0o600)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("note the process: %w", err), cmd.Process.Kill(), cmd.Wait())
	}
	go func() {
		defer close(p.done)
		p.err = cmd.Wait()
		// The number is free from here on, and may soon be another program's.
		p.err = errors.Join(p.err, os.Remove(l.at.note()))
	}()
	return p, nil
}

// end sends the signal and waits until the process is gone; it is killed when that takes too long.
func (p *process) end(signal syscall.Signal) error {
	for _, signal := range []syscall.Signal{signal, syscall.SIGKILL} {
		select {
		case <-p.done:
			return nil
		default:
		}
		if err := syscall.Kill(p.pid, signal); err != nil && !errors.Is(err, syscall.ESRCH) {
			return fmt.Errorf("signal process %d: %w", p.pid, err)
		}
		select {
		case <-p.done:
			return nil
		case <-time.After(patience):
		}
	}
	<-p.done
	return nil
}
