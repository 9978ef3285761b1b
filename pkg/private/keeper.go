package private

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"syscall"
)

// script ends a server whose owner is gone. It reads from a pipe that nobody writes to: the pipe ends
// with the owner, however that ended, on every system that has a shell. Then it sends the signal $1 to
// the process that the file $2 names, if there is one, waits until that has put its socket away, which
// both servers do last, and removes the note and the remaining arguments. (It does not wait for the
// process itself: in a container nobody may collect that.)
const script = `cat >/dev/null
if { read -r pid && read -r socket; } 2>/dev/null <"$2"; then
	kill -s "$1" "$pid" 2>/dev/null
	tries=0
	while kill -0 "$pid" 2>/dev/null && [ -S "$socket" ] && [ "$tries" -lt 600 ]; do
		sleep 0.05
		tries=$((tries + 1))
	done
fi
shift
rm -rf "$@"`

// keeper is a shell that outlives its owner just long enough to clean up after it.
type keeper struct {
	cmd  *exec.Cmd
	pipe io.Closer
}

// newKeeper starts a keeper for the server that the file names at the time.
func newKeeper(ctx context.Context, stop syscall.Signal, file string, remove []string) (*keeper, error) {
	args := append([]string{"-c", script, "keeper", strconv.Itoa(int(stop)), file}, remove...)
	// The end of ctx must not end the keeper: the owner may be gone before its server is.
	cmd := exec.CommandContext(context.WithoutCancel(ctx), "/bin/sh", args...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Dir = "/"
	pipe, err := cmd.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("make the keeper's pipe: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return nil, errors.Join(fmt.Errorf("start the keeper: %w", err), pipe.Close())
	}
	return &keeper{cmd: cmd, pipe: pipe}, nil
}

// dismiss ends the keeper before it does its work, which its owner does itself. The whole group goes,
// as the shell waits for a child. It always ends by the signal, which is no error.
func (k *keeper) dismiss() {
	_ = syscall.Kill(-k.cmd.Process.Pid, syscall.SIGKILL)
	_ = k.cmd.Wait()
	_ = k.pipe.Close()
}
