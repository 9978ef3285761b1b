package program

import (
	"context"
	"fmt"
	"io"
	"slices"

	"chatserver.dev/pkg/boot"
	"chatserver.dev/pkg/product"
)

// IsHelp reports whether an argument asks for help, in one of the usual forms.
func IsHelp(argument string) bool {
	return slices.Contains([]string{"help", "-h", "-help", "--help"}, argument)
}

// Serve runs a program that serves and has no other commands than version and help.
func Serve(ctx context.Context, args, environ []string, out, log io.Writer, program boot.Program) error {
	usage := fmt.Sprintf("%s serves, configured by environment variables (docs/configuration.md); %[1]s version prints the version\n", program.Name)
	switch {
	case len(args) == 0:
		return boot.Run(ctx, environ, log, program)
	case len(args) == 1 && args[0] == "version":
		_, err := fmt.Fprintln(out, product.Version())
		return err
	case len(args) == 1 && IsHelp(args[0]):
		_, err := io.WriteString(out, usage)
		return err
	default:
		return fmt.Errorf("unknown command %q\n%s", args[0], usage)
	}
}
