package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	accounts := flag.Float64("accounts", 0, "number of accounts; 0: a table for 1,000, 100,000 and 10 million")
	clients := flag.Int("simulate", 0, "number of clients to simulate; 0: the model")
	events := flag.Int("events", 100_000, "number of events that the simulation dispatches")
	flag.Parse()
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, *accounts, *clients, *events)
	cancel()
	if err != nil {
		fmt.Fprintln(os.Stderr, "scale:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, accounts float64, clients, events int) error {
	if clients > 0 {
		o, err := simulate(ctx, clients, events)
		if err == nil {
			fmt.Println(o)
		}
		return err
	}
	sizes := []float64{1_000, 100_000, 10_000_000}
	if accounts > 0 {
		sizes = []float64{accounts}
	}
	var needs []need
	for _, size := range sizes {
		needs = append(needs, model(measured(), usual(), size))
	}
	printNeeds(os.Stdout, needs)
	return nil
}
