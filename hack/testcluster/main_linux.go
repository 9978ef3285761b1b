package main

import (
	"context"
	"fmt"
	"os"
)

// runNode does what other systems can't.
func runNode(ctx context.Context, at layout, name string, args []string) error {
	if name == "build" && len(args) == 0 {
		return buildPrograms(ctx, at, os.Stderr, assets()...)
	}
	return fmt.Errorf("%q is no command\n%s", name, usage)
}
