package user_test

import (
	"errors"
	"strings"
	"testing"

	"chatserver.dev/pkg/user"
)

func TestCheckName(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, want string
		err        error
	}{
		{"Ada Lovelace", "Ada Lovelace", nil},
		{"  Ada  ", "Ada", nil},
		{"李小龍", "李小龍", nil},
		{strings.Repeat("é", 100), strings.Repeat("é", 100), nil},
		{strings.Repeat("é", 101), "", user.ErrNameTooLong},
		{" a ", "", user.ErrNameTooShort},
		{"", "", user.ErrNameTooShort},
		{"a*b", "", user.ErrNameCharacters},
		{"a`b", "", user.ErrNameCharacters},
		{`a\b`, "", user.ErrNameCharacters},
		{"a>b", "", user.ErrNameCharacters},
		{`a"b`, "", user.ErrNameCharacters},
		{"a@b", "", user.ErrNameCharacters},
		{"a\x00b", "", user.ErrNameCharacters},
		{"a\nb", "", user.ErrNameCharacters},
		{"a\u200bb", "", user.ErrNameCharacters},     // format
		{"a\U000e0000b", "", user.ErrNameCharacters}, // unassigned
		{"a\xffb", "", user.ErrNameCharacters},
		{"\u3164\u3164", "", user.ErrNameCharacters}, // a letter that looks like a blank
		{"Ada\u2800Lovelace", "", user.ErrNameCharacters},
		{"Ada ❤️", "Ada ❤️", nil},
		{"Ada|12", "", user.ErrNameFormat},
		{"Ada|x12", "Ada|x12", nil},
		{"Ada <1", "Ada <1", nil},
	} {
		got, err := user.CheckName(c.name)
		if got != c.want || !errors.Is(err, c.err) || (err == nil) != (c.err == nil) {
			t.Errorf("%q: %q, %v; want %q, %v", c.name, got, err, c.want, c.err)
		}
	}
}

func TestNewKey(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	letters := map[rune]int{}
	for range 1000 {
		key, err := user.NewKey()
		if err != nil {
			t.Fatal(err)
		}
		if len(key) != 32 || seen[key] {
			t.Fatalf("key %q", key)
		}
		seen[key] = true
		for _, r := range key {
			letters[r]++
		}
	}
	if len(letters) != 62 {
		t.Errorf("%d different characters, want 62", len(letters))
	}
	// 32000 characters: 516 of each on average, with a standard deviation of 22.5.
	for r, n := range letters {
		if n < 380 || n > 660 {
			t.Errorf("%c came %d times in 32000", r, n)
		}
	}
}
