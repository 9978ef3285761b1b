// The command chatserver is the whole server in one process.
//
//	chatserver           migrates the database and serves
//	chatserver migrate   migrates the database
//	chatserver version   prints the version
//	chatserver admin     calls the admin interface of a server
//	chatserver export    writes an organization as an archive, see package moving
//	chatserver import    creates an organization from an archive
//
// The environment configures the command, see package boot. Without DATABASE_URL (or PGHOST, PGDATABASE and
// PGUSER) or REDIS_URL it starts private servers, with their data under .local (or CHAT_LOCAL_DIR). In a
// private PostgreSQL it creates a demo organization.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"chatserver.dev/pkg/boot"
	"chatserver.dev/pkg/password"
	"chatserver.dev/pkg/product"
	admin "chatserver.dev/services/admin/command"
	"chatserver.dev/services/moving"
	"chatserver.dev/services/program"
)

const usage = `A server for team chat, in one process. Commands:

  chatserver [run]     bring the database up to date and serve
  chatserver migrate   bring the database up to date and create its logins (DATABASE_URL)
  chatserver version   print the version
  chatserver admin     manage organizations, streams, bots and webhooks; see chatserver admin -h
  chatserver export    write an organization as an archive; see chatserver export -h
  chatserver import    create an organization from an archive; see chatserver import -h

The environment configures them, see docs/configuration.md.
`

func main() {
	if err := run(context.Background(), os.Args[1:], os.Environ(), os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "chatserver: "+err.Error())
		os.Exit(1)
	}
}

// run runs the command that the arguments name.
func run(ctx context.Context, args, environ []string, out, log io.Writer) error {
	if len(args) == 1 && args[0] == program.HashCommand {
		return password.Serve(os.Stdin, out)
	}
	ctx, release := signal.NotifyContext(ctx, syscall.SIGINT, syscall.SIGTERM)
	defer release()
	command, rest := "run", []string(nil)
	if len(args) > 0 {
		command, rest = args[0], args[1:]
	}
	switch {
	case command == "admin":
		return admin.Run(ctx, rest, environ, os.Stdin, out)
	case command == "migrate":
		return boot.Migrate(ctx, rest, environ, out, log)
	case command == "export", command == "import":
		return move(ctx, command, rest, environ, moving.IO{In: os.Stdin, Out: out, Log: log, Now: time.Now})
	case len(rest) > 0:
		return fmt.Errorf("unknown command %q\n%s", strings.Join(args, " "), usage)
	case command == "run":
		return serve(ctx, environ, out, log)
	case command == "version":
		_, err := fmt.Fprintln(out, product.Version())
		return err
	case program.IsHelp(command):
		_, err := io.WriteString(out, usage)
		return err
	}
	return fmt.Errorf("unknown command %q\n%s", command, usage)
}
