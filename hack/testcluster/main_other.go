//go:build !linux

package main

import (
	"context"
	"fmt"
	"os"
)

// runNode builds the programs that tests of controllers need. No other command works on this system.
func runNode(ctx context.Context, at layout, _, name string, args []string) error {
	if name == "build" && len(args) == 0 {
		return buildPrograms(ctx, at, os.Stderr, assets()...)
	}
	return fmt.Errorf("%s: a node is made of namespaces and control groups, so it needs Linux; build and assets work here", name)
}
