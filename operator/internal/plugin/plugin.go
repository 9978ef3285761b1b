// Package plugin is the command line of kubectl chat: it shows how a chat server is, and changes specs
// in ways that people need often. The operator does the rest.
//
// A command changes at most one object, by one patch that fails when somebody else was quicker. Then it
// waits until the object's status says that it is done. Everything is checked before anything is changed.
package plugin

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/alecthomas/kong"
)

// Exit codes of [Run].
const (
	ExitDone   = 0 // it is as it was to be
	ExitFailed = 1 // it was refused, or failed; the message says whether anything was changed
	ExitUsage  = 2 // the command line is wrong
	ExitNotYet = 3 // the spec is changed, but the operator isn't done with it yet
)

// Surroundings are where the plugin runs.
type Surroundings struct {
	Out io.Writer        // what was asked for
	Err io.Writer        // notes and errors
	Now func() time.Time // the time
}

// commandLine is everything that can be asked for.
type commandLine struct {
	Connection

	Status    statusCommand    `cmd:"" help:"Show the status of a server and of what is in it."`
	Rotate    rotateCommand    `cmd:"" help:"Rotate a key. The previous one works for its grace period."`
	Pause     pauseCommand     `cmd:"" help:"Pause reconciliation: the operator doesn't change the object."`
	Hibernate hibernateCommand `cmd:"" help:"Hibernate a server: stop its pods; keep data and Secrets."`
	Wake      wakeCommand      `cmd:"" help:"End a pause or a hibernation."`
	Rollback  rollbackCommand  `cmd:"" help:"Roll back to the previous version."`
}

const description = `Look after chat servers and what is in them.

Every change can be made by plain kubectl, too: --dry-run prints the command.
Exit codes: 0 done, 1 refused or failed, 2 wrong command line, 3 changed, but not done in time.`

// Run does what the arguments, without the program's name, say, and returns the exit code.
func Run(ctx context.Context, args []string, around Surroundings) int {
	line, exited := commandLine{}, false
	parser, err := kong.New(&line, kong.Name("kubectl chat"), kong.Description(description),
		kong.Writers(around.Out, around.Err), kong.Exit(func(int) { exited = true }),
		kong.BindTo(ctx, (*context.Context)(nil)))
	if err != nil {
		fmt.Fprintln(around.Err, "error:", err)
		return ExitFailed
	}
	chosen, err := parser.Parse(args)
	if exited { // after --help, which has printed all there is to say
		return ExitDone
	}
	if err != nil {
		fmt.Fprintf(around.Err, "error: %v\nSee kubectl chat --help.\n", err)
		return ExitUsage
	}
	session, err := line.connect(around)
	if err == nil {
		err = chosen.Run(session)
	}
	if err == nil {
		return ExitDone
	}
	fmt.Fprintln(around.Err, "error:", err)
	if _, notYet := errors.AsType[*notYetError](err); notYet {
		return ExitNotYet
	}
	return ExitFailed
}
