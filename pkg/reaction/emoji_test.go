package reaction_test

import (
	"errors"
	"os"
	"strings"
	"testing"

	"chatserver.dev/pkg/reaction"
)

// Every name in the interface's table can be sent with its code, as clients do, and with no other code.
func TestPairsOfNameAndCode(t *testing.T) {
	t.Parallel()
	table, err := os.ReadFile("../emoji/emoji.tsv")
	if err != nil {
		t.Fatal(err)
	}
	pairs := 0
	for line := range strings.SplitSeq(strings.TrimSpace(string(table)), "\n") {
		if strings.HasPrefix(line, "#") {
			continue
		}
		fields := strings.FieldsFunc(line, func(r rune) bool { return r == '\t' || r == ',' })
		for _, name := range fields[1:] {
			pairs++
			if err := (reaction.Emoji{Name: name, Code: fields[0], Kind: "unicode_emoji"}).Check(); err != nil {
				t.Errorf("%s as %s: %v", name, fields[0], err)
			}
			other := "1f642"
			if fields[0] == other {
				other = "1f600"
			}
			if err := (reaction.Emoji{Name: name, Code: other, Kind: "unicode_emoji"}).Check(); !errors.Is(err, reaction.ErrName) {
				t.Errorf("%s as %s: %v", name, other, err)
			}
		}
	}
	if pairs != 1553 {
		t.Errorf("%d pairs, want 1553", pairs)
	}
}
