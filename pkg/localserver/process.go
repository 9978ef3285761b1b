package localserver

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"time"
)

// stopTimeout is the time after which a server that doesn't stop is killed.
const stopTimeout = 30 * time.Second

// launch describes how to run a server.
type launch struct {
	path string
	args []string
	as   account
	log  string         // file for the output of the server
	at   *place         // location of its data and socket
	stop syscall.Signal // asks the server to end
}

// process is one run of a server.
type process struct {
	pid  int
	done chan struct{}
	err  error // why it ended; read it only after done is closed
}

// start runs the server until Stop. The end of ctx doesn't stop it.
func (l launch) start(ctx context.Context, socket string) (*process, error) {
	log, err := os.OpenFile(l.log, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open the server's log: %w", err)
	}
	defer log.Close() //nolint:errcheck // the server has its own copy, nothing was written to this one.

	cmd := exec.CommandContext(context.WithoutCancel(ctx), l.path, l.args...)
	cmd.Stdout, cmd.Stderr = log, log
	cmd.Dir = "/"
	cmd.Env = environment()
	// The server has its own process group, so that Ctrl-C in a terminal reaches only the owner, which then stops its
	// servers in order.
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
		// From here on, the process number may be reused by another program.
		p.err = errors.Join(p.err, os.Remove(l.at.note()))
	}()
	return p, nil
}

// environment returns this process's environment without the variables of PostgreSQL's programs: PGPORT and others are for
// clients of another server, but a server reads them, too.
func environment() []string {
	inherited := os.Environ() //nolint:forbidigo // it is passed on, not read
	return slices.DeleteFunc(inherited, func(variable string) bool { return strings.HasPrefix(variable, "PG") })
}

// end sends the signal and waits until the process has ended. It kills the process if that takes too long.
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
		case <-time.After(stopTimeout):
		}
	}
	<-p.done
	return nil
}
