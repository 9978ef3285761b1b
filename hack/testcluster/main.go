package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

const usage = `usage: hack/cluster up | down | status | kubeconfig | load image.tar... | exec -- command...
       hack/cluster build [program...] | assets`

func main() {
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer cancel()
	// hack/cluster changes to the root of the repository, but file names are relative to the caller's folder.
	dir := flag.String("C", ".", "the `folder` that names of files start from")
	flag.Usage = func() { fmt.Fprintln(flag.CommandLine.Output(), usage) }
	flag.Parse()
	err := run(ctx, *dir, flag.Args())
	if err == nil {
		return
	}
	cancel()
	fmt.Fprintln(os.Stderr, "cluster:", err)
	os.Exit(1)
}

func run(ctx context.Context, dir string, args []string) error {
	if len(args) == 0 {
		return errors.New(usage)
	}
	root, err := os.Getwd()
	if err != nil {
		return fmt.Errorf("find the repository: %w", err)
	}
	at, err := findLayout(root)
	if err != nil {
		return err
	}
	switch name, rest := args[0], args[1:]; {
	case name == "build" && len(rest) > 0:
		return buildPrograms(ctx, at, os.Stderr, rest...)
	case name == "assets" && len(rest) == 0:
		if err := buildPrograms(ctx, at, os.Stderr, assets()...); err != nil {
			return err
		}
		fmt.Println(at.bin())
		return nil
	case name == "kubeconfig" && len(rest) == 0:
		fmt.Println(at.kubeconfig())
		return nil
	default:
		return runNode(ctx, at, dir, name, rest)
	}
}
