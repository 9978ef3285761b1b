// The command kubectl-chat is a plugin of kubectl: with it on the PATH, `kubectl chat status` works.
// It does nothing that plain kubectl can't do, too; --dry-run prints how.
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
	code := plugin.Run(ctx, os.Args[1:], plugin.Surroundings{Out: os.Stdout, Err: os.Stderr, Now: time.Now})
	release()
	os.Exit(code)
}
