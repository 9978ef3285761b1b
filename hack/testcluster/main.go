package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"syscall"
)

const usage = `usage: hack/cluster up | down | status | kubeconfig | load image.tar... | exec -- command...
       hack/cluster build [program...] | assets`

func main() {
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer cancel()
	err := run(ctx, os.Args[1:])
	if err == nil {
		return
	}
	cancel()
	// What a command inside the node has to say, it has said.
	if ended := (*exec.ExitError)(nil); errors.As(err, &ended) && len(os.Args) > 1 && os.Args[1] == "exec" {
		os.Exit(ended.ExitCode())
	}
	fmt.Fprintln(os.Stderr, "cluster:", err)
	os.Exit(1)
}

func run(ctx context.Context, args []string) error {
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
	case slices.Contains([]string{"-h", "-help", "--help", "help"}, name):
		fmt.Println(usage)
		return nil
	default:
		return runNode(ctx, at, name, rest)
	}
}
