// Command sqlcvet has PostgreSQL prepare every query of pkg/store: `sqlc diff` alone does not see a
// parameter that sqlc lost, as in `where org_id=@org_id` (read as the operator =@).
//
//	go run ./hack/sqlcvet path/to/sqlc
//
// It starts a server of its own, migrates it, and runs `sqlc vet` with its address in SQLC_DATABASE_URL,
// where pkg/store/sqlc.yaml looks for it.
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
	"chatserver.dev/pkg/store"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: sqlcvet path/to/sqlc")
		os.Exit(2)
	}
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1])
	cancel()
	if err != nil {
		fmt.Fprintln(os.Stderr, "sqlcvet:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, sqlc string) (err error) {
	server, err := private.StartPostgres(ctx, private.Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, server.Stop()) }()
	if _, err := store.Migrate(ctx, server.URL("postgres")); err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, sqlc, "vet", "-f", "pkg/store/sqlc.yaml")
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	cmd.Env = append(os.Environ(), "SQLC_DATABASE_URL="+server.URL("postgres"))
	return cmd.Run()
}
