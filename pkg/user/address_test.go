package user_test

import (
	"strings"
	"testing"

	"chatserver.dev/pkg/user"
)

func TestValidEmail(t *testing.T) {
	t.Parallel()
	local := strings.Repeat("a", 254-len("@b.example"))
	for email, want := range map[string]bool{
		"ann@git.example":           true,
		"Ann.Müller@ΟΔΌΣ.example":   true,
		"\u0131da@git.example":      true, // ı is lower case already
		local + "@b.example":        true,
		local + "a@b.example":       false,
		"Ann <ann@git.example>":     false,
		`"a@git.example"@b.example`: false,
		"a@git.example@b.example":   false,
		"ann@git.example\n":         false,
		"ann@g\u0130t.example":      false, // İ
		"\u212aim@git.example":      false, // the Kelvin sign
	} {
		if got := user.ValidEmail(email); got != want {
			t.Errorf("%q: %v", email, got)
		}
	}
}
