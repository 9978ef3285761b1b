package group_test

import (
	"strings"
	"testing"

	"chatserver.dev/pkg/group"
)

func TestValidName(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{
		"ops": true, "night shift": true, strings.Repeat("ä", 100): true,
		"": false, " ": false, "\u3164": false, " ops": false, "ops ": false, "o\x1fps": false, "ops\x7f": false, "ops\xff": false, strings.Repeat("x", 101): false,
	} {
		if group.ValidName(name) != want {
			t.Errorf("%q: %t", name, !want)
		}
	}
}
