// The command api is the service api. It is configured by the environment, see package boot.
package main

import (
	"context"
	"fmt"
	"os"

	"chatserver.dev/pkg/boot"
	"chatserver.dev/services/program"
)

func main() {
	if err := boot.Run(context.Background(), os.Environ(), os.Stderr, program.API()); err != nil {
		fmt.Fprintln(os.Stderr, "api: "+err.Error())
		os.Exit(1)
	}
}
