package localserver

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"syscall"
)

// script ends a server whose owner has ended. It reads from a pipe that nothing writes to and that closes when the
// owner ends for any reason, on all systems with a shell. Then it sends the signal $1 to the process in the file $2,
// if the file exists, waits until the server has removed its socket, which both servers do last, and removes the file
// and the remaining arguments. It doesn't wait for the process itself, because in a container nothing may reap it.
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

// watchdog is a shell that cleans up after its owner has ended.
type watchdog struct {
	cmd  *exec.Cmd
	pipe io.Closer
}

// newWatchdog starts a watchdog for the server that is in the file when the owner ends.
func newWatchdog(ctx context.Context, stop syscall.Signal, file string, remove []string) (*watchdog, error) {
	args := append([]string{"-c", script, "watchdog", strconv.Itoa(int(stop)), file}, remove...)
	// The watchdog must not end with ctx, because the owner may end before its server does.
	cmd := exec.CommandContext(context.WithoutCancel(ctx), "/bin/sh", args...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Dir = "/"
	pipe, err := cmd.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("make the watchdog's pipe: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return nil, errors.Join(fmt.Errorf("start the watchdog: %w", err), pipe.Close())
	}
	return &watchdog{cmd: cmd, pipe: pipe}, nil
}

// stop ends the watchdog without cleaning up, when the owner does so itself. It signals the whole process group,
// because the shell waits for a child. The watchdog always ends by the signal, which isn't an error.
func (w *watchdog) stop() {
	_ = syscall.Kill(-w.cmd.Process.Pid, syscall.SIGKILL)
	_ = w.cmd.Wait()
	_ = w.pipe.Close()
}
