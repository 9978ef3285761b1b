package stream_test

import (
	"strings"
	"testing"

	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/markdown"
	"chatserver.dev/pkg/stream"
)

// A stream's name is shown literally, even if it contains Markdown, and mentions no accounts.
func TestName(t *testing.T) {
	t.Parallel()
	if got := stream.Name("Hall 2"); got != "**Hall 2**" {
		t.Errorf("got %s", got)
	}
	user := markdown.User{ID: 2, Name: "Ada"}
	known := markdown.Context{
		Users: map[string]markdown.User{"ada": user}, UsersByID: map[id.User]markdown.User{2: user}, Groups: map[string]id.Group{"crew": 1},
		Streams: map[string]id.Stream{"hall": 3},
	}
	for _, name := range []string{
		"x** @**all**", "@**all**", "@**Ada**", "a** @_**Ada|2** **b", "@*crew*", "** #**Hall** **", "`** @**all** `", "[a](https://b.example)",
		"a\n@**all**", "<time:2026-01-01>", "$$x$$", ":smile:", "~~a~~", `a\*b`, "``` @**all**",
	} {
		text := "renamed " + stream.Name(name) + " to " + stream.Name(name) + "."
		got, err := markdown.New(markdown.Config{}).Render(t.Context(), text, known)
		if err != nil {
			t.Fatal(err)
		}
		if got.Wildcard || len(got.MentionedUsers)+len(got.MentionedGroups) > 0 || strings.Contains(got.HTML, "<a ") || !strings.Contains(got.HTML, "<code>") {
			t.Errorf("%q: %s", name, got.HTML)
		}
	}
}
