// Package plugin implements kubectl chat, which shows the state of chat servers and makes common changes of specs. The
// operator carries out these changes.
//
// A command changes at most one object, by one patch that fails on a conflict. Then it waits until the object's status says
// that the change is complete. Everything is checked before anything is changed.
package plugin

import (
	"context"
	"errors"
	"fmt"
	"io"
	"reflect"
	"time"

	"github.com/alecthomas/kong"
)

// Exit codes of [Run].
const (
	ExitDone   = 0 // done
	ExitFailed = 1 // refused or failed; the message says whether anything was changed
	ExitUsage  = 2 // the command line is wrong
	ExitNotYet = 3 // the spec was changed, but the change isn't complete yet
)

// Deps are the streams and the clock of the plugin.
type Deps struct {
	Out io.Writer // results
	Err io.Writer // notes and errors
	Now func() time.Time
}

// commandLine has all flags and commands.
type commandLine struct {
	Connection

	Status    statusCommand    `cmd:"" help:"Show the status of a server and of the objects in it."`
	Rotate    rotateCommand    `cmd:"" help:"Rotate a key. The previous one works for its grace period."`
	Pause     pauseCommand     `cmd:"" help:"Pause reconciliation: the operator doesn't change the object."`
	Hibernate hibernateCommand `cmd:"" help:"Hibernate a server: stop its pods; keep data and Secrets."`
	Wake      wakeCommand      `cmd:"" help:"End a pause or a hibernation."`
	Rollback  rollbackCommand  `cmd:"" help:"Roll back to the previous version."`
}

// Validate refuses empty values, such as those of a script's variable that isn't set: otherwise defaults would replace them.
func (*commandLine) Validate(line *kong.Context) error {
	for _, part := range line.Path {
		value := part.Positional
		if part.Flag != nil {
			value = part.Flag.Value
		}
		if value != nil && value.Target.Kind() == reflect.String && value.Target.String() == "" {
			return fmt.Errorf("%s is empty: set it, or leave it out", value.ShortSummary())
		}
	}
	return nil
}

const description = `Manage chat servers and the objects in them.

Every change can also be made with kubectl alone: --dry-run prints the command.
Exit codes: 0 done, 1 refused or failed, 2 wrong command line, 3 changed, but not done in time.`

// Run runs a command and returns the exit code. The arguments don't include the program's name.
func Run(ctx context.Context, args []string, d Deps) int {
	line, exited := commandLine{}, false
	parser, err := kong.New(&line, kong.Name("kubectl chat"), kong.Description(description),
		kong.Writers(d.Out, d.Err), kong.Exit(func(int) { exited = true }),
		kong.BindTo(ctx, (*context.Context)(nil)))
	if err != nil {
		fmt.Fprintln(d.Err, "error:", err)
		return ExitFailed
	}
	chosen, err := parser.Parse(args)
	if exited { // after --help
		return ExitDone
	}
	if err != nil {
		fmt.Fprintf(d.Err, "error: %v\nSee kubectl chat --help.\n", err)
		return ExitUsage
	}
	session, err := line.connect(d)
	if err == nil {
		err = chosen.Run(session)
	}
	if err == nil {
		return ExitDone
	}
	fmt.Fprintln(d.Err, "error:", err)
	if _, notYet := errors.AsType[*notYetError](err); notYet {
		return ExitNotYet
	}
	return ExitFailed
}
