package program_test

import (
	"bytes"
	"strings"
	"testing"

	"chatserver.dev/pkg/boot"
	"chatserver.dev/services/program"
)

func TestServeCommands(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ argument, printed, failed string }{
		{"-h", "events serves", ""},
		{"-help", "events serves", ""},
		{"version", "0.", ""},
		{"fly", "", `unknown command "fly"`},
	} {
		out := bytes.Buffer{}
		err := program.Serve(t.Context(), []string{c.argument}, nil, &out, &out, boot.Program{Name: "events"})
		if !strings.HasPrefix(out.String(), c.printed) || (err != nil) != (c.failed != "") || err != nil && !strings.HasPrefix(err.Error(), c.failed) {
			t.Errorf("%s: %v, printed %q", c.argument, err, out.String())
		}
	}
}
