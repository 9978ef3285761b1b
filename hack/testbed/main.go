// Command testbed runs a command with a PostgreSQL server for tests that all of its processes share:
//
//	go run ./hack/testbed -- go test ./pkg/...
//
// The server is stopped and its data are gone when the command has ended. The exit code is the
// command's.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"syscall"

	"chatserver.dev/pkg/private"
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
	// Ctrl-C reaches the command too; this waits until that has ended and then stops the server.
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
	server, err := private.StartPostgres(context.WithoutCancel(ctx), private.Options{})
	if err != nil {
		return 1, err
	}
	defer func() { err = errors.Join(err, server.Stop()) }()

	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.Env = append(os.Environ(), testbed.DatabaseVariable+"="+server.URL("postgres"))
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	err = cmd.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return max(exit.ExitCode(), 1), nil
	}
	return 0, err
}
