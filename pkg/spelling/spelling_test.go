package spelling_test

import (
	"testing"

	"chatserver.dev/pkg/spelling"
)

func TestIsBlank(t *testing.T) {
	t.Parallel()
	for _, name := range []string{
		"", " \t\n", "\u00a0\u2003\u3000", "\u200b", "\u3164", "\uffa0", "\u115f\u1160", "\u2800\u2800", "\ufeff\u2060", "\u034f", "\ufe0f",
		"\u202e \u200f", "\U000e0041\U000e007f", "\u00ad", "\u17b4", "\u1680",
	} {
		if !spelling.IsBlank(name) {
			t.Errorf("%+q isn't blank", name)
		}
	}
	for _, name := range []string{"a", "\u200ba", "\u3164.", "\u2801", "❤️", "👩\u200d🚀", "\x00", "ᄀ", "\u0301", "می\u200cخواهم"} {
		if spelling.IsBlank(name) {
			t.Errorf("%+q is blank", name)
		}
	}
}
