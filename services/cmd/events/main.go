// The command events is the service events. It is configured by the environment, see package boot.
package main

import (
	"context"
	"fmt"
	"os"

	"chatserver.dev/services/program"
)

func main() {
	if err := program.Serve(context.Background(), os.Args[1:], os.Environ(), os.Stdout, os.Stderr, program.Events()); err != nil {
		fmt.Fprintln(os.Stderr, "events: "+err.Error())
		os.Exit(1)
	}
}
