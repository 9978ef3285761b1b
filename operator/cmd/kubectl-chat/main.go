// The command kubectl-chat is a plugin of kubectl: with it on the PATH, `kubectl chat status` works. Each of its
// changes can also be made with kubectl alone: --dry-run prints the command.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"

	"chatserver.dev/operator/internal/plugin"
)

func main() {
	ctx, release := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	code := plugin.Run(ctx, os.Args[1:], plugin.Deps{Out: os.Stdout, Err: os.Stderr, Now: time.Now})
	release()
	os.Exit(code)
}
