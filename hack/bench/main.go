//go:build linux

package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"iter"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"
)

// options are the flags.
type options struct {
	only     []string // goals; empty: everything
	pairs    int      // of measurements: the floor, then the server
	seconds  time.Duration
	waves    int    // messages to the crowd, per run
	bin      string // where our programs are
	dir      string // folder for the servers' data; empty: temporary folders
	imported int    // messages that are imported
	kind     string // selects the load of G11 and A1 by a part of its name; empty: all
}

func (o options) wants(goal string) bool { return len(o.only) == 0 || slices.Contains(o.only, goal) }

// part measures goals, and adds them to the table by [bench.row]. New parts are added to parts.
type part struct {
	goals   []string
	measure func(*bench, context.Context) error
}

func parts() []part {
	return []part{
		{[]string{"G1", "G2", "G3"}, (*bench).measureSending},
		{[]string{"G8"}, (*bench).measureAudience},
		{[]string{"rows"}, (*bench).measureRows},
		{[]string{"G4", "G5", "G4s", "G5s"}, (*bench).measureFanout},
		{[]string{"G7", "G9"}, (*bench).measureParked},
		{[]string{"G11"}, (*bench).measureNeighbours},
		{[]string{"S1"}, (*bench).measureReplicas},
		{[]string{"S2"}, (*bench).measureShards},
		{[]string{"A1"}, (*bench).measureAttack},
		{[]string{"R1", "R2", "R3", "R4", "R5"}, (*bench).measureReading},
		{[]string{"R6"}, (*bench).measureMarkingOne},
		{[]string{"F1", "F2"}, (*bench).measureFiles},
		{[]string{"L1"}, (*bench).measureSigningIn},
		{[]string{"I1"}, (*bench).measureImport},
		{[]string{"G12"}, (*bench).measureMany}, // the last two parts, since they leave queues behind
		{[]string{"R7", "G10"}, (*bench).measureStorm},
	}
}

// floors returns the servers that this program can run in other processes, by command. Each serves at an address, with
// the contents of a file or folder.
func floors() map[string]func(addr, file string) error {
	return map[string]func(addr, file string) error{
		floorCommand: serveFloor, filesCommand: serveFiles, loopCommand: serveLoop, socketsCommand: serveSockets,
	}
}

func main() {
	if len(os.Args) == 4 {
		if serve := floors()[os.Args[1]]; serve != nil {
			exit(serve(os.Args[2], os.Args[3]))
		}
	}
	if len(os.Args) == 5 && os.Args[1] == attackCommand {
		exit(serveAttack(context.Background(), os.Args[2], os.Args[3], os.Args[4]))
	}
	opts := options{}
	only := flag.String("only", "", "goals to measure, for instance G3,G4 (or rows); all if empty")
	flag.IntVar(&opts.pairs, "pairs", 3, "number of measurements of the floor and of the server, alternately")
	seconds := flag.Float64("seconds", 6, "seconds of sending in each run")
	flag.IntVar(&opts.waves, "waves", 20, "messages to the parked polls in each run")
	flag.StringVar(&opts.bin, "bin", "bin", "directory of the programs api and events")
	flag.StringVar(&opts.dir, "dir", "", "folder for the servers' data; a folder in memory excludes waits for the disk")
	flag.IntVar(&opts.imported, "imported", 1_000_000, "messages that are imported; fewer are quicker")
	flag.StringVar(&opts.kind, "kind", "", "selects the calls of G11 or the attacks of A1 by a part of their names; all if empty")
	flag.Parse()
	opts.seconds = time.Duration(*seconds * float64(time.Second))
	opts.only = strings.FieldsFunc(*only, func(r rune) bool { return r == ',' })
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

// run measures the goals and prints the table, which omits failed goals.
func run(ctx context.Context, opts options) (err error) {
	b, err := newBench(ctx, opts)
	defer func() { err = errors.Join(err, b.close(context.WithoutCancel(ctx))) }()
	if err != nil {
		return err
	}
	before, err := readMachine()
	if err != nil {
		return err
	}
	for _, p := range parts() {
		if !slices.ContainsFunc(p.goals, opts.wants) || ctx.Err() != nil {
			continue
		}
		rows := len(b.table)
		if failed := p.measure(b, ctx); failed != nil {
			err = errors.Join(err, fmt.Errorf("%s: %w", strings.Join(p.goals, ", "), failed))
			b.table = b.table[:rows]
		}
	}
	after, failed := readMachine()
	b.table.print(os.Stdout, after.busySince(before))
	return errors.Join(err, failed)
}

// row adds a row to the table if its goal is wanted. Measurements are added to the row that it returns.
func (b *bench) row(goal, what, unit string, limit reach) *row {
	r := &row{Goal: goal, What: what, Unit: unit, Reach: limit}
	if b.wants(goal) {
		b.table = append(b.table, r)
	}
	return r
}

// again is like row, but returns the row of an earlier pair, if the table has it already.
func (b *bench) again(goal, what, unit string, limit reach) *row {
	if i := slices.IndexFunc(b.table, func(r *row) bool { return r.Goal == goal && r.What == what }); i >= 0 {
		return b.table[i]
	}
	return b.row(goal, what, unit, limit)
}

// turns returns the numbers of the pairs, and logs each before it begins.
func (b *bench) turns(what string) iter.Seq[int] {
	return func(yield func(int) bool) {
		for pair := range b.pairs {
			say("%s, pair %d", what, pair+1)
			if !yield(pair) {
				return
			}
		}
	}
}
