package program_test

import (
	"bytes"
	"os"
	"reflect"
	"regexp"
	"slices"
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

// docs/configuration.md describes every variable that a service reads.
func TestVariablesAreDescribed(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/configuration.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := regexp.MustCompile("(?m)^\\| `.*?` \\|").FindAllString(string(page), -1)
	for _, name := range variablesIn(append(program.All().Settings, &boot.Config{})...) {
		if !slices.ContainsFunc(rows, func(row string) bool { return strings.Contains(row, "`"+name+"`") }) {
			t.Errorf("docs/configuration.md has no row for %s", name)
		}
	}
}

// variablesIn returns the environment variables that set fields of structs, which the settings point to.
func variablesIn(settings ...any) (names []string) {
	for _, one := range settings {
		for field, value := range reflect.ValueOf(one).Elem().Fields() {
			switch name, _, _ := strings.Cut(field.Tag.Get("env"), ","); {
			case name != "":
				names = append(names, name)
			case value.Kind() == reflect.Struct && value.CanAddr() && field.IsExported():
				names = append(names, variablesIn(value.Addr().Interface())...)
			}
		}
	}
	return names
}
