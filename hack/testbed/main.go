// Command testbed runs a command with a PostgreSQL server that all its processes share in tests:
//
//	go run ./hack/testbed -- go test ./pkg/...
//
// When the command has ended, the server is stopped and its data are deleted. The exit code is the command's.
package main

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"net/url"
	"os"
	"os/exec"
	"os/signal"
	"syscall"

	"chatserver.dev/pkg/localserver"
	"chatserver.dev/pkg/testbed"
)

func main() {
	args := os.Args[1:]
	if len(args) > 0 && args[0] == "--" {
		args = args[1:]
	}
	if len(args) == 0 {
		fmt.Fprintln(os.Stderr, "usage: testbed -- command [argument...]")
		os.Exit(2)
	}
	// Ctrl-C also reaches the command. run waits until the command has ended, and then stops the server.
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code, err := run(ctx, args)
	cancel()
	if err != nil {
		fmt.Fprintln(os.Stderr, "testbed:", err)
		code = max(code, 1)
	}
	os.Exit(code)
}

func run(ctx context.Context, args []string) (code int, err error) {
	server, err := localserver.StartPostgres(context.WithoutCancel(ctx), localserver.Options{})
	if err != nil {
		return 1, err
	}
	defer func() { err = errors.Join(err, server.Stop()) }()

	address, forget, err := sameAddress(server)
	if err != nil {
		return 1, err
	}
	defer forget()
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.Env = append(os.Environ(), testbed.DatabaseVariable+"="+address)
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	err = cmd.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return max(exit.ExitCode(), 1), nil
	}
	return 0, err
}

// sameAddress returns a URL of the server that is the same in each run of a checkout, unless another run is in
// progress. Go uses the cached result of a package's tests only if their environment is the same as in the earlier run.
func sameAddress(server *localserver.Postgres) (address string, forget func(), err error) {
	checkout, err := os.Getwd()
	if err != nil {
		return "", nil, fmt.Errorf("find the checkout: %w", err)
	}
	sum := fnv.New64a()
	_, _ = sum.Write([]byte(checkout)) // a hash never fails
	link := fmt.Sprintf("/tmp/chat-testbed-%d-%x", os.Getuid(), sum.Sum64())
	lock, err := os.OpenFile(link+".lock", os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return "", nil, fmt.Errorf("lock the server's address: %w", err)
	}
	err = syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) { // another run is in progress
		return server.URL("postgres"), func() { _ = lock.Close() }, nil
	}
	if err != nil {
		return "", nil, fmt.Errorf("lock the server's address: %w", err)
	}
	// A run that was killed left its link.
	if err := os.Remove(link); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", nil, fmt.Errorf("remove the address of an earlier run: %w", err)
	}
	if err := os.Symlink(server.SocketDir(), link); err != nil {
		return "", nil, fmt.Errorf("make the server's address: %w", err)
	}
	full, err := url.Parse(server.URL("postgres"))
	if err != nil {
		return "", nil, fmt.Errorf("read the server's address: %w", err)
	}
	query := full.Query()
	query.Set("host", link)
	full.RawQuery = query.Encode()
	return full.String(), func() { _, _ = os.Remove(link), lock.Close() }, nil
}
