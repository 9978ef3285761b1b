package settings

import (
	"context"
	"fmt"
	"strings"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/permit"
	"chatserver.dev/pkg/user"
)

// Errors of commands (rest-api.md, section 2.16).
var (
	errNoSlash   = fault.Bad("There should be a leading slash in the zcommand.")
	errNoCommand = fault.Bad("No such command: %s")
)

type commandParams struct {
	// Command that the user typed: /ping, or /night, /day, /fluid-width or /fixed-width for a display setting.
	Command string `param:"command" max:"100 characters"`
}

type commandReply struct {
	// Message about the result, for the user; empty for /ping.
	Msg string `json:"msg"`
}

// look is a command for a display setting.
type look struct {
	change   user.DisplaySwitches
	name     string // of the look, for people
	opposite string // command
}

// looks returns the commands for display settings, by name.
func looks() map[string]look {
	night, day := 2, 3 // values of color_scheme
	return map[string]look{
		"night":       {user.DisplaySwitches{ColorScheme: &night}, "night mode", "/day"},
		"day":         {user.DisplaySwitches{ColorScheme: &day}, "day mode", "/night"},
		"fluid-width": {user.DisplaySwitches{FluidLayoutWidth: new(true)}, "fluid width", "/fixed-width"},
		"fixed-width": {user.DisplaySwitches{FluidLayoutWidth: new(false)}, "fixed width", "/fluid-width"},
	}
}

// Command carries out a command that the user typed in place of a message.
func Command(users *user.Service) endpoint.Endpoint {
	return endpoint.New(endpoint.About{
		Route: "POST /zcommand", Who: permit.Anyone, ChangesCallers: true, Faults: endpoint.Faults{errNoSlash, errNoCommand},
	}, func(ctx context.Context, who actor.Actor, in commandParams) (commandReply, error) {
		command, ok := strings.CutPrefix(in.Command, "/")
		switch {
		case !ok:
			return commandReply{}, errNoSlash
		case command == "ping":
			return commandReply{}, nil
		}
		look, ok := looks()[command]
		if !ok {
			return commandReply{}, errNoCommand.Format(command)
		}
		changed, err := users.SetDisplay(ctx, who, user.DisplayChange{DisplaySwitches: look.change})
		msg := fmt.Sprintf("Changed to %s! To change back, type `%s`.", look.name, look.opposite)
		if changed == (user.DisplayChange{}) {
			msg = fmt.Sprintf("You are using %s already.", look.name)
		}
		return commandReply{msg}, err
	})
}
