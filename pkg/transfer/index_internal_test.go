package transfer

import (
	"strings"
	"testing"

	"chatserver.dev/pkg/archive"
)

// All texts of a message count for the limit on a file, except for the HTML, which isn't kept.
func TestHeld(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("x", 1000)
	for what, m := range map[string]archive.Message{"content": {Content: text}, "topic": {Subject: text}, "edits": {EditHistory: &text}} {
		if n := held(m); n < len(text) {
			t.Errorf("%s of %d bytes counts as %d", what, len(text), n)
		}
	}
	if n := held(archive.Message{Rendered: text}); n > 100 {
		t.Errorf("the HTML counts as %d", n)
	}
}
