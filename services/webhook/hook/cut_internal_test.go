package hook

import (
	"strings"
	"testing"

	"chatserver.dev/pkg/markdown"
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

// Code that is cut in two is still code: a third party's text in it would be Markdown otherwise.
func TestCutCode(t *testing.T) {
	t.Parallel()
	const shown = "[a](https://a.example) **b** "
	for what, written := range map[string]string{
		"plain":        strings.Repeat(shown, 1000),
		"with a fence": "``" + strings.Repeat(shown, 1000),
		"with fences":  strings.Repeat("` `` ```` "+shown, 1000),
		"only fences":  strings.Repeat("`", 6_000) + " x " + strings.Repeat("`", 5_000),
		"wide":         strings.Repeat("ä"+shown, 1000),
		"long fence":   strings.Repeat("`", 20_000),
		"a short rest": strings.Repeat("x", message.MaxContent-len(message.Truncated)-10) + shown,
	} {
		for _, before := range []string{"", "Named ", "One\n* two `code` and ", strings.Repeat("x", message.MaxContent-len(message.Truncated)-8) + " "} {
			content := cutContent(before + Code(written).String() + " ends")
			rest := strings.TrimSuffix(content, message.Truncated)
			if fence, _ := openCode(rest[strings.LastIndexByte(rest, '\n')+1:]); fence != "" || len(content) > message.MaxContent || rest == content {
				t.Errorf("%s after %.20q: %d bytes that end %.60q", what, before, len(content), content[max(0, len(content)-60):])
			}
			result, err := markdown.New(markdown.Config{}).Render(t.Context(), content, markdown.Context{})
			if err != nil || strings.Contains(result.HTML, "<a ") || strings.Contains(result.HTML, "<strong>") {
				t.Errorf("%s after %.20q: %v, %.300s", what, before, err, result.HTML)
			}
		}
	}
	if got := cutContent("a `b"); got != "a `b" {
		t.Errorf("what is short becomes %q", got)
	}
}
