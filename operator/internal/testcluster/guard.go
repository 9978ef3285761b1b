package testcluster

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"
)

// script ends the programs of a cluster whose owner has ended without doing so. It reads from a pipe that nothing writes to, and that
// closes when the owner ends for any reason. The programs have the folder in their arguments, and the shell has it in its environment
// only, so it doesn't find itself.
const script = `cat >/dev/null
pkill -KILL -f -- "-dir=$FOLDER/"
rm -rf "$FOLDER"`

// guard ends a cluster's programs with this process, even if that is killed.
type guard struct {
	shell *exec.Cmd
	pipe  io.Closer
}

// newGuard starts a guard of the programs whose data are below a folder.
func newGuard(folder string) (*guard, error) {
	shell := exec.Command("/bin/sh", "-c", script) //nolint:noctx // it ends after everything else
	shell.Env = append(os.Environ(), "FOLDER="+folder)
	shell.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // what ends a whole group of tests doesn't end the shell
	pipe, err := shell.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("make the guard's pipe: %w", err)
	}
	if err := shell.Start(); err != nil {
		return nil, fmt.Errorf("start the guard: %w", err)
	}
	return &guard{shell, pipe}, nil
}

// finish ends what is left, removes the folder, and returns when this is done.
func (g *guard) finish() error {
	if err := g.pipe.Close(); err != nil {
		return fmt.Errorf("end the guard: %w", err)
	}
	if err := g.shell.Wait(); err != nil {
		return fmt.Errorf("wait for the guard: %w", err)
	}
	return nil
}
