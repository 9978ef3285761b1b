package localserver_test

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"chatserver.dev/pkg/localserver"
)

// ownerVariable makes the test binary an owner that starts both servers and waits to be killed.
const ownerVariable = "PRIVATE_TEST_OWNER_DIR"

func TestMain(m *testing.M) {
	if dir := os.Getenv(ownerVariable); dir != "" {
		own(dir)
	}
	if flag.Parse(); testing.Short() {
		fmt.Fprintln(os.Stderr, "skipped in short mode: servers take longer to start")
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// own starts durable servers, prints their addresses, and never returns.
func own(dir string) {
	ctx := context.Background()
	p, err := localserver.StartPostgres(ctx, localserver.Options{Dir: filepath.Join(dir, "postgres"), Durable: true})
	if err != nil {
		panic(err)
	}
	r, err := localserver.StartRedis(ctx, localserver.Options{Dir: filepath.Join(dir, "redis"), Durable: true})
	if err != nil {
		panic(err)
	}
	os.Stdout.WriteString(strings.Join([]string{
		strconv.Itoa(p.PID()), strconv.Itoa(r.PID()), p.URL("postgres"), r.URL(), p.SocketDir(), filepath.Dir(r.Socket()),
	}, " ") + "\n")
	select {}
}

// gone waits until the process has ended and been reaped by its parent.
func gone(t *testing.T, pid int) {
	t.Helper()
	for range 1000 {
		if !alive(pid) || zombie(pid) {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("process %d still runs", pid)
}

// zombie reports whether a process has ended but hasn't been reaped. In a container the first process may not do so.
func zombie(pid int) bool {
	raw, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	if err != nil {
		return false
	}
	_, rest, _ := strings.Cut(string(raw), ") ")
	return strings.HasPrefix(rest, "Z")
}

// TestOwnerKilled kills an owner and starts again with its data, at once and after its servers have ended.
func TestOwnerKilled(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name  string
		after func(t *testing.T, postgres, redis int)
	}{
		{"started again at once", func(*testing.T, int, int) {}},
		{"servers end by themselves", func(t *testing.T, postgres, redis int) {
			t.Helper()
			gone(t, postgres)
			gone(t, redis)
		}},
		{"servers killed too", func(t *testing.T, postgres, redis int) {
			t.Helper()
			syscall.Kill(postgres, syscall.SIGKILL)
			syscall.Kill(redis, syscall.SIGKILL)
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			// Not t.TempDir, because PostgreSQL's account must have access when root runs this test.
			dir, err := os.MkdirTemp("", "localserver-") //nolint:usetesting // see above.
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { os.RemoveAll(dir) })
			if err := os.Chmod(dir, 0o755); err != nil {
				t.Fatal(err)
			}
			owner := exec.CommandContext(t.Context(), os.Args[0])
			owner.Env = append(os.Environ(), ownerVariable+"="+dir)
			owner.Stderr = os.Stderr
			out, err := owner.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := owner.Start(); err != nil {
				t.Fatal(err)
			}
			line, err := bufio.NewReader(out).ReadString('\n')
			if err != nil {
				t.Fatal(err)
			}
			events := strings.Fields(line)
			postgres, _ := strconv.Atoi(events[0])
			server, _ := strconv.Atoi(events[1])
			exec1(t, events[2], "create table kept (x int); insert into kept values (42)")

			if err := owner.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			owner.Wait()
			test.after(t, postgres, server)

			p := startPostgres(t, localserver.Options{Dir: filepath.Join(dir, "postgres"), Durable: true})
			r := startRedis(t, localserver.Options{Dir: filepath.Join(dir, "redis"), Durable: true})
			if got := query1(t, p.URL("postgres"), "select x::text from kept"); got != "42" {
				t.Errorf("got %q", got)
			}
			if err := redisClient(t, r.URL()).Ping(t.Context()).Err(); err != nil {
				t.Error(err)
			}
			gone(t, postgres)
			gone(t, server)
			absent(t, events[4])
			absent(t, events[5])
		})
	}
}

// TestStaleProcessNumber starts with data whose notes contain the number of a process that is another program's by
// now.
func TestStaleProcessNumber(t *testing.T) {
	t.Parallel()
	dir, err := os.MkdirTemp("", "localserver-") //nolint:usetesting // PostgreSQL's account must be able to reach it.
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	p, err := localserver.StartPostgres(t.Context(), localserver.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	notes := filepath.Join(dir, "running")
	old, err := os.ReadFile(notes)
	if err != nil {
		t.Fatal(err)
	}
	pidFile := filepath.Join(p.DataDir(), "postmaster.pid")
	oldPid, err := os.ReadFile(pidFile)
	if err != nil {
		t.Fatal(err)
	}
	number := strconv.Itoa(p.PID())
	if err := p.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := p.Stop(); err != nil {
		t.Fatal(err)
	}
	other := exec.CommandContext(t.Context(), "sleep", "600")
	if err := other.Start(); err != nil {
		t.Fatal(err)
	}
	for path, text := range map[string][]byte{notes: old, pidFile: oldPid} {
		text := strings.Replace(string(text), number, strconv.Itoa(other.Process.Pid), 1)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	p = startPostgres(t, localserver.Options{Dir: dir})
	if got := query1(t, p.URL("postgres"), "select 'up'"); got != "up" {
		t.Errorf("got %q", got)
	}
	if !alive(other.Process.Pid) || zombie(other.Process.Pid) {
		t.Error("a program that is not ours was stopped")
	}
}
