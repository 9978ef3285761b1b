package localserver

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"
)

const (
	// checkPeriod is the interval at which a starting or ending server is checked.
	checkPeriod = 5 * time.Millisecond
	// startTime is the time limit for a start: PostgreSQL may have to replay its log first.
	startTime = 60 * time.Second
	// attempts is the maximum number of starts of a server that ends before it is ready. PostgreSQL refuses to start
	// until its predecessor has ended and, if that was killed with SIGKILL, until its children have ended too.
	attempts = 50
)

// Options determine where a server stores its data and how durably. The zero value is for tests: temporary and fast.
type Options struct {
	// Dir is the directory for data and logs. It is created if it doesn't exist, and kept when the server stops. If
	// it is empty, the server uses a temporary directory, which is removed when the server stops or its owner ends.
	// Unless the server is durable, the temporary directory is in memory, if there is enough.
	Dir string
	// Durable makes the server keep confirmed data: PostgreSQL with fsync, Redis with an append-only file written
	// every second. Otherwise a crash of the machine may lose all data, for speed.
	Durable bool
	// Settings are settings of the server by their own names. They replace the defaults of this package.
	Settings map[string]string
}

// server is the common part of PostgreSQL and Redis.
type server struct {
	place  *place
	launch launch
	socket string                      // path of the socket
	ready  func(pid int) (bool, error) // an error ends the wait

	mu      sync.Mutex
	process *process
	closed  bool
}

// run starts the process and waits until it is ready.
func (s *server) run(ctx context.Context) error {
	if s.closed {
		return errors.New("the server has been stopped and can't be restarted")
	}
	var err error
	for range attempts {
		var early bool
		if early, err = s.try(ctx); !early {
			return err
		}
		if wait(ctx, 100*time.Millisecond) != nil {
			break
		}
	}
	return err
}

// try starts the process once. early reports whether it ended before it was ready.
func (s *server) try(ctx context.Context) (early bool, err error) {
	process, err := s.launch.start(ctx, s.socket)
	if err != nil {
		return false, err
	}
	s.process = process
	waiting, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	for {
		ready, err := s.ready(process.pid)
		if err != nil || ready {
			return false, err
		}
		select {
		case <-process.done:
			return true, fmt.Errorf("%s ended before it was ready: %w%s", filepath.Base(s.launch.path), process.err, s.tail())
		case <-waiting.Done():
			return false, errors.Join(fmt.Errorf("%s is not ready: %w%s", filepath.Base(s.launch.path), waiting.Err(), s.tail()),
				process.end(syscall.SIGKILL))
		case <-time.After(checkPeriod):
		}
	}
}

// tail returns the end of the server's log, for an error's text.
func (s *server) tail() string {
	raw, err := os.ReadFile(s.launch.log)
	if err != nil {
		return ""
	}
	return "; its log ends:\n" + string(raw[max(0, len(raw)-2000):])
}

// stopLeftover stops the server of an owner that was killed. This process holds the lock, so the server has no other
// owner. The process number may be another program's by now, so stopLeftover uses it only if the server's socket
// answers.
func (s *server) stopLeftover(ctx context.Context) error {
	raw, err := os.ReadFile(s.launch.at.note())
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read the note about an earlier server: %w", err)
	}
	var pid int
	var socket string
	if _, err := fmt.Sscan(string(raw), &pid, &socket); err != nil {
		return nil // the owner was killed while it wrote the note
	}
	if answers(ctx, socket) {
		if err := syscall.Kill(pid, s.launch.stop); err != nil && !errors.Is(err, syscall.ESRCH) {
			return fmt.Errorf("stop a server left running: %w", err)
		}
	}
	// Both servers remove their socket last. If they need a little longer after that, run waits for it.
	ending, cancel := context.WithTimeout(ctx, stopTimeout)
	defer cancel()
	for answers(ending, socket) {
		if err := wait(ending, checkPeriod); err != nil {
			return fmt.Errorf("process %d, left running, does not end: %w", pid, err)
		}
	}
	return errors.Join(os.RemoveAll(filepath.Dir(socket)), ctx.Err())
}

// answers reports whether a server listens on a Unix socket.
func answers(ctx context.Context, socket string) bool {
	var dialer net.Dialer
	conn, err := dialer.DialContext(ctx, "unix", socket)
	if err != nil {
		return false
	}
	return conn.Close() == nil
}

// ask sends a line to a Unix socket and returns the first bytes of the answer.
func ask(socket, line string) (string, error) {
	conn, err := net.DialTimeout("unix", socket, time.Second) //nolint:noctx // bounded by its own second.
	if err != nil {
		return "", err
	}
	defer conn.Close() //nolint:errcheck // nothing is left to be written.
	if _, err := io.WriteString(conn, line); err != nil {
		return "", err
	}
	answer := make([]byte, 64)
	n, err := conn.Read(answer)
	return string(answer[:n]), err
}

// wait waits for a time unless ctx ends first.
func wait(ctx context.Context, pause time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(pause):
		return nil
	}
}

// begin runs the server for the first time. It stops the server for good when ctx ends.
func (s *server) begin(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.run(ctx); err != nil {
		return err
	}
	// There is no caller for the error of Stop here. The next start handles what is left.
	context.AfterFunc(ctx, func() { _ = s.Stop() })
	return nil
}

// Restart stops the server if it runs, starts it again with the same data and the same URL, and returns when it is
// ready. If ctx ends before that, the server is killed.
func (s *server) Restart(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.process.end(s.launch.stop); err != nil {
		return err
	}
	return s.run(ctx)
}

// Halt stops the server in order and returns when the process has ended. Restart starts it again.
func (s *server) Halt() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.process.end(s.launch.stop)
}

// Kill ends the server with SIGKILL, as a crash would, and returns when the process has ended. Restart starts it
// again.
func (s *server) Kill() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.process.end(syscall.SIGKILL)
}

// Stop stops the server in order, waits for it, releases the directory, and removes temporary files. It kills a
// server that doesn't end within 30 s. Further calls do nothing.
func (s *server) Stop() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil
	}
	s.closed = true
	return errors.Join(s.process.end(s.launch.stop), s.place.close())
}

// Done returns a channel that is closed when the current process has ended for any reason. After a Restart there is a
// new one.
func (s *server) Done() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.process.done
}

// PID returns the number of the current or last process.
func (s *server) PID() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.process.pid
}
