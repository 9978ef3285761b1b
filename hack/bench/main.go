//go:build linux

package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"
)

// options are what the command line says.
type options struct {
	only    map[string]bool // empty: everything
	pairs   int             // how often floor and ours alternate
	seconds time.Duration   // of sending, per run
	waves   int             // messages to the crowd, per run
	bin     string          // where our programs are
	kind    string          // part of the names of what G11 and A1 are measured beside; empty: all
}

func (o options) wants(goals ...string) bool {
	for _, goal := range goals {
		if len(o.only) == 0 || o.only[goal] {
			return true
		}
	}
	return false
}

func main() {
	if len(os.Args) == 3 && os.Args[1] == floorCommand {
		exit(serveFloor(os.Args[2]))
	}
	if len(os.Args) == 5 && os.Args[1] == attackCommand {
		exit(serveAttack(context.Background(), os.Args[2], os.Args[3], os.Args[4]))
	}
	opts := options{only: map[string]bool{}}
	only := flag.String("only", "", "goals to measure, for instance G3,G4 (or rows); all if empty")
	flag.IntVar(&opts.pairs, "pairs", 3, "how often floor and ours are measured in turns")
	seconds := flag.Float64("seconds", 6, "seconds of sending in each run")
	flag.IntVar(&opts.waves, "waves", 20, "messages to the parked polls in each run")
	flag.StringVar(&opts.bin, "bin", "bin", "directory of the programs api and events")
	flag.StringVar(&opts.kind, "kind", "", "part of the names of the calls that G11, or of the attacks that A1 is measured beside; all if empty")
	flag.Parse()
	opts.seconds = time.Duration(*seconds * float64(time.Second))
	for _, goal := range strings.FieldsFunc(*only, func(r rune) bool { return r == ',' }) {
		opts.only[goal] = true
	}
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, opts)
	cancel()
	exit(err)
}

func exit(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
	os.Exit(0)
}

// run measures what is asked for. What fails is left out of the table, the rest is printed.
func run(ctx context.Context, opts options) (err error) {
	b, err := newBench(ctx, opts)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.close(context.WithoutCancel(ctx))) }()
	before, err := readMachine()
	if err != nil {
		return err
	}
	for _, part := range []struct {
		goals   []string
		measure func(context.Context) error
	}{
		{[]string{"G1", "G2", "G3"}, b.measureSending},
		{[]string{"G8"}, b.measureAudience},
		{[]string{"rows"}, b.measureRows},
		{[]string{"G4", "G5"}, b.measureFanout},
		{[]string{"G7", "G9"}, b.measureParked},
		{[]string{"G11"}, b.measureNeighbours},
		{[]string{"A1"}, b.measureAttack},
		{[]string{"R1", "R2", "R3", "R4", "R5"}, b.measureReading},
		{[]string{"R6"}, b.measureMarkingOne},
	} {
		if !opts.wants(part.goals...) || ctx.Err() != nil {
			continue
		}
		if failed := part.measure(ctx); failed != nil {
			err = errors.Join(err, fmt.Errorf("%s: %w", strings.Join(part.goals, ", "), failed))
		}
	}
	after, failed := readMachine()
	err = errors.Join(err, failed)
	b.table.print(os.Stdout, after.busySince(before))
	return err
}
