// The command webhook is the service webhook. It is configured by the environment, see package boot.
package main

import (
	"context"
	"fmt"
	"os"

	"chatserver.dev/services/program"
)

func main() {
	if err := program.Serve(context.Background(), os.Args[1:], os.Environ(), os.Stdout, os.Stderr, program.Webhook()); err != nil {
		fmt.Fprintln(os.Stderr, "webhook: "+err.Error())
		os.Exit(1)
	}
}
