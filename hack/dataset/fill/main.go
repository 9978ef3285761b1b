// Command fill creates an organization of a given size in a database, and prints its accounts for logging in as JSON.
//
//	fill [flags] DATABASE_URL
//
// DATABASE_URL is a connection string of PostgreSQL for a superuser. The database shouldn't be used by others
// meanwhile.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"

	"github.com/jackc/pgx/v5"

	"chatserver.dev/hack/dataset"
)

func main() {
	spec := dataset.Spec{Subscriptions: 5}
	flag.StringVar(&spec.Subdomain, "subdomain", "large", "subdomain of the organization")
	flag.IntVar(&spec.Users, "users", 10_000, "number of accounts")
	flag.IntVar(&spec.Streams, "streams", 200, "number of streams, to all of which the reader is subscribed")
	flag.IntVar(&spec.Topics, "topics", 20, "number of topics in each stream")
	flag.IntVar(&spec.Messages, "messages", 50_000, "number of messages")
	flag.Float64Var(&spec.Private, "private", 0.1, "share of private messages, from 0 to 1")
	flag.Parse()
	spec.ReaderStreams = spec.Streams
	if err := fill(context.Background(), flag.Args(), spec); err != nil {
		fmt.Fprintln(os.Stderr, "fill:", err)
		os.Exit(1)
	}
}

func fill(ctx context.Context, args []string, spec dataset.Spec) error {
	if len(args) != 1 {
		return errors.New("usage: fill [flags] DATABASE_URL")
	}
	db, err := pgx.Connect(ctx, args[0])
	if err != nil {
		return fmt.Errorf("connect: %w", err)
	}
	defer db.Close(ctx) //nolint:errcheck // the program ends
	made, err := dataset.Load(ctx, db, spec)
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(made) //nolint:musttag // hack/web/bench.mjs reads it
}
