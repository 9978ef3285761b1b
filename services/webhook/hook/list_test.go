package hook_test

import (
	"strings"
	"testing"

	"chatserver.dev/services/webhook/hook"
)

func TestList(t *testing.T) {
	t.Parallel()
	items := make([]hook.Markdown, 22)
	for i := range items {
		items[i] = hook.Format("item %d", i)
	}
	if got := hook.List(items[0], hook.Markdown{}, items[1]).String(); got != "* item 0\n* item 1" {
		t.Errorf("two items: %q", got)
	}
	if got := hook.List(items...).String(); strings.Count(got, "\n") != 20 || !strings.HasSuffix(got, "* item 19\n* … and 2 more") {
		t.Errorf("22 items: %q", got)
	}
}

func TestBound(t *testing.T) {
	t.Parallel()
	said := make([]hook.Message, 22)
	for i := range said {
		said[i] = hook.Message{Topic: "t", Content: hook.Format("message %d", i)}
	}
	if got := hook.Bound(said[:20]); len(got) != 20 || got[19].Content.String() != "message 19" {
		t.Errorf("20 messages: %v", got)
	}
	if got := hook.Bound(said); len(got) != 20 || got[19].Content.String() != "message 19\n\n… and 2 more" || said[19].Content.String() != "message 19" {
		t.Errorf("22 messages: %v", got)
	}
}

func TestLines(t *testing.T) {
	t.Parallel()
	for written, want := range map[string]string{
		"": "", " \n ": "", "a\r\n b  c\n\n\n\td\n": "a\nb c\n\nd", "* x\n# y\n@**all**": "&#42; x\n&#35; y\n@&#42;&#42;all&#42;&#42;",
		strings.Repeat("x", 5000): strings.Repeat("x", 3999) + "…",
	} {
		if got := hook.Lines(written).String(); got != want {
			t.Errorf("%q: %q", written, got)
		}
	}
	for _, written := range hostile() {
		if result := render(t, hook.Lines("a\n"+written+"\nb").String()); result.Wildcard || strings.Contains(result.HTML, "mention") || strings.Contains(result.HTML, "<blockquote") {
			t.Errorf("%q: %s", written, result.HTML)
		}
	}
}

func TestWrittenAndEmoji(t *testing.T) {
	t.Parallel()
	if got := hook.Written(" **a**\r\n* b\u202e \n").String(); got != "**a**\n* b" {
		t.Errorf("%q", got)
	}
	for name, want := range map[string]string{":rocket:": ":rocket:", "+1": ":+1:", "a b": "a b", ":": ":", "": "", "*x*": "&#42;x&#42;"} {
		if got := hook.Emoji(name).String(); got != want {
			t.Errorf("%q: %q", name, got)
		}
	}
}
