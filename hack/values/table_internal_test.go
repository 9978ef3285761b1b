package main

import (
	"strings"
	"testing"
)

func TestTable(t *testing.T) {
	t.Parallel()
	got, err := describe([]byte("server:\n  # -- Pods, all of\n  # the same kind.\n  replicas: 1\n  # no value: not shown\n  image:\n    # -- Where from.\n" +
		"    name: {a: [\"x\", 0.5]}\n# -- Whether.\non: true\n"))
	want := head + "| server.replicas | int | `1` | Pods, all of the same kind. |\n" +
		"| server.image.name | object | `{\"a\":[\"x\",0.5]}` | Where from. |\n| on | bool | `true` | Whether. |\n"
	if err != nil || got != want {
		t.Errorf("the table is\n%s%v, want\n%s", got, err, want)
	}
	for values, want := range map[string]string{
		"a:\n  b: 1 # -- too late":    "a.b has no comment",
		"a: {}":                       "a has no comment",
		"- a":                         "the values aren't a mapping",
		"a: [":                        "yaml: ",
		"# -- A time.\na: .nan # NaN": "unsupported value",
	} {
		if _, err := describe([]byte(values)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", values, err, want)
		}
	}
}
