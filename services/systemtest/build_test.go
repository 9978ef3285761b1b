package systemtest_test

import (
	"context"
	"fmt"
	"hash/fnv"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"chatserver.dev/pkg/testbed"
)

var built struct {
	mutex sync.Mutex
	paths map[string]string
}

// Binary returns the path of a program of services/cmd, "chatserver", and builds it first.
func Binary(t testing.TB, command string) string {
	t.Helper()
	built.mutex.Lock()
	defer built.mutex.Unlock()
	if path := built.paths[command]; path != "" {
		return path
	}
	path, err := build(context.WithoutCancel(t.Context()), command)
	if err != nil {
		t.Fatalf("build %s: %v", command, err)
	}
	if built.paths == nil {
		built.paths = map[string]string{}
	}
	built.paths[command] = path
	return path
}

func build(ctx context.Context, command string) (path string, err error) {
	testbed.Uncached()
	out, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}", "chatserver.dev/services").Output()
	if err != nil {
		return "", fmt.Errorf("find the checkout: %w", err)
	}
	module := strings.TrimSpace(string(out))
	dir := filepath.Join(filepath.Dir(module), ".local", "systemtest")
	if err := os.MkdirAll(dir, 0o750); err != nil {
		return "", err
	}
	// Other test processes build the same program.
	lock, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return "", err
	}
	defer lock.Close()
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
		return "", err
	}
	// Several checkouts may share their .local.
	sum := fnv.New32a()
	_, _ = sum.Write([]byte(module)) // a hash never fails
	path = filepath.Join(dir, fmt.Sprintf("%08x", sum.Sum32()), command)
	cmd := exec.CommandContext(ctx, "go", "build", "-o", path, "chatserver.dev/services/cmd/"+command)
	cmd.Dir = module
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w\n%s", err, out)
	}
	return path, nil
}
