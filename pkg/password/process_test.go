package password_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/password"
)

// serve is the argument that makes this test program compute hashes.
const serve = "serve-hashes"

func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == serve {
		if err := password.Serve(os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

func TestProcesses(t *testing.T) {
	if testing.Short() {
		t.Skip("left out by -short")
	}
	t.Parallel()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	children := password.NewPatientHasher(2, 20, program, serve)
	hash, err := children.Hash(t.Context(), "correct horse")
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range []*password.Hasher{children, hasher()} {
		if ok, outdated, err := h.Matches(t.Context(), "correct horse", hash); !ok || outdated || err != nil {
			t.Errorf("%v, %v, %v", ok, outdated, err)
		}
	}
	// Concurrent hashes share the two processes. Few are computed, since on a busy machine each waits for seconds.
	matching := func() {
		t.Helper()
		many := sync.WaitGroup{}
		for _, word := range []string{"password", "wrong", "password", ""} {
			many.Go(func() {
				if ok, _, err := children.Matches(t.Context(), word, foreign); err != nil || ok != (word == "password") {
					t.Errorf("%q: %v, %v", word, ok, err)
				}
			})
		}
		many.Wait()
	}
	matching()
	started := computing(t)
	if len(started) != 2 {
		t.Fatalf("%d processes, want 2", len(started))
	}
	for pid := range started {
		for _, nice := range niceness(t, pid) {
			if nice != 19 {
				t.Errorf("a thread of %d has priority %d", pid, nice)
			}
		}
		if environment, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid)); err != nil || string(environment) != "GOMAXPROCS=1\x00" {
			t.Errorf("environment %q, %v", environment, err)
		}
	}

	// A process that has ended is started again, without an error.
	for pid := range started {
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
	}
	matching()

	if err := children.Close(); err != nil {
		t.Error(err)
	}
	if left := computing(t); len(left) > 0 {
		t.Errorf("%d processes are left", len(left))
	}
}

// A program that can't be started doesn't use up callers' turns.
func TestNoProcess(t *testing.T) {
	t.Parallel()
	for _, command := range [][]string{{filepath.Join(t.TempDir(), "none")}, {"/bin/true"}, {"/bin/echo", "no hash"}} {
		h := password.NewProcessHasher(1, 0, command...)
		for range 3 {
			if key, err := h.Hash(t.Context(), "x"); err == nil || !strings.Contains(err.Error(), password.ErrBusy.Error()) {
				t.Errorf("%s: %q, %v", command, key, err)
			}
		}
		if err := h.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestSlowProcess(t *testing.T) {
	t.Parallel()
	err := password.ComputeInChild(t.Context(), 50*time.Millisecond, "/bin/sleep", "60")
	if !errors.Is(err, password.ErrBusy) || !strings.Contains(fmt.Sprint(errors.Unwrap(err)), "took longer than 50ms") {
		t.Errorf("a process that hangs: %v, because of %v", err, errors.Unwrap(err))
	}
	if f := fault.Of(err); f == nil || !f.IsLimit() { // clients may try again
		t.Errorf("a process that the machine has no time for is a failure: %v", err)
	}
}

// computing returns the processes that this one has started to compute hashes.
func computing(t *testing.T) map[int]bool {
	t.Helper()
	found := map[int]bool{}
	entries, err := os.ReadDir("/proc")
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil {
			continue
		}
		command, _ := os.ReadFile(filepath.Join("/proc", entry.Name(), "cmdline")) // other processes may end meanwhile
		status, _ := os.ReadFile(filepath.Join("/proc", entry.Name(), "status"))
		if strings.HasSuffix(string(command), "\x00"+serve+"\x00") && strings.Contains(string(status), fmt.Sprintf("\nPPid:\t%d\n", os.Getpid())) {
			found[pid] = true
		}
	}
	return found
}

// niceness returns the priorities of a process's threads in /proc (proc(5), stat, field 19).
func niceness(t *testing.T, pid int) []int {
	t.Helper()
	stats, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", pid))
	if err != nil || len(stats) == 0 {
		t.Fatalf("threads of %d: %v", pid, err)
	}
	all := []int{}
	for _, path := range stats {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		_, rest, _ := strings.Cut(string(text), ") ")
		nice, err := strconv.Atoi(strings.Fields(rest)[16])
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, nice)
	}
	return all
}
