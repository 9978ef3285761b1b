// The command api is the service api.
//
//	api           serves
//	api check     checks configuration, PostgreSQL and Redis, and changes nothing
//	api migrate   brings the database up to date
//	api smoke     tests a running server, see package smoke
//	api export    writes an organization as an archive, see package moving
//	api import    creates an organization from an archive
//	api version   prints the version
//
// With -report FILE, check and migrate also write their result to a file: a line of JSON, or a sentence with
// the error. The environment configures the command, see package boot.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"chatserver.dev/pkg/boot"
	"chatserver.dev/pkg/password"
	"chatserver.dev/pkg/product"
	"chatserver.dev/services/moving"
	"chatserver.dev/services/program"
	"chatserver.dev/services/smoke"
)

const usage = `The service api. Commands:

  api                          serve
  api check [-report FILE]     check configuration, PostgreSQL and Redis, and change nothing
  api migrate [-report FILE]   bring the database up to date and create its logins
  api smoke                    test the running server at SITE
  api export                   write an organization as an archive; see api export -h
  api import                   create an organization from an archive; see api import -h
  api version                  print the version

The environment configures them, see docs/configuration.md.
`

func main() {
	if err := run(context.Background(), os.Args[1:], os.Environ(), os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "api: "+err.Error())
		os.Exit(1)
	}
}

// run runs the command that the arguments name.
func run(ctx context.Context, args, environ []string, out, log io.Writer) error {
	if len(args) == 0 {
		api, err := program.Hashing(program.API())
		if err != nil {
			return err
		}
		return boot.Run(ctx, environ, log, api)
	}
	if args[0] == program.HashCommand {
		return password.Serve(os.Stdin, out)
	}
	ctx, release := signal.NotifyContext(ctx, syscall.SIGINT, syscall.SIGTERM)
	defer release()
	switch command, rest := args[0], args[1:]; command {
	case "check":
		return boot.Check(ctx, rest, environ, out, program.API())
	case "migrate":
		return boot.Migrate(ctx, rest, environ, out, log)
	case "smoke":
		return smoke.Run(ctx, environ, out)
	case "export", "import":
		return moving.Run(ctx, command, rest, environ, moving.IO{In: os.Stdin, Out: out, Log: log, Now: time.Now})
	case "version":
		_, err := fmt.Fprintln(out, product.Version())
		return err
	default:
		if program.IsHelp(command) {
			_, err := io.WriteString(out, usage)
			return err
		}
		return fmt.Errorf("unknown command %q\n%s", command, usage)
	}
}
