package hook

import (
	"strings"
	"testing"

	"chatserver.dev/pkg/message"
)

// Whatever content has, its code block isn't longer than a message may be, and has all that there is room for.
func TestAsCode(t *testing.T) {
	t.Parallel()
	for what, content := range map[string]string{
		"short": "a `b` c", "a fence": "```\nx\n```", "long": strings.Repeat("ä", message.MaxContent),
		"a long fence": strings.Repeat("`", 4_999) + "end", "only backticks": strings.Repeat("`", message.MaxContent),
	} {
		got := asCode(content)
		if len(got) > message.MaxContent || len(got) < min(len(content), message.MaxContent-10) || !strings.HasPrefix(got, "```") || !strings.HasSuffix(got, "\n```") && !strings.HasSuffix(got, "\n````") {
			t.Errorf("%s: %d bytes, %.20q", what, len(got), got)
		}
	}
}
