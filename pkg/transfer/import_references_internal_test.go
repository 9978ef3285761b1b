package transfer

import (
	"strings"
	"testing"
	"time"

	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/testbed"
)

// Ids and paths are translated in linear time, whatever the text.
func TestTranslated(t *testing.T) {
	t.Parallel()
	c := &content{importing: &importing{users: map[int64]id.User{7: 70}, uploads: map[string]upload{"1/ab/a.txt": {2, "9/cd/b.txt", nil}, "x/y.txt": {0, "https://elsewhere.example/y.txt", nil}}}}
	for text, want := range map[string]string{
		"plain **bold**": "plain **bold**",
		"@**Ann|7** and @_**Ann|7**, not @**Ann|8**":  "@**Ann|70** and @_**Ann|70**, not @**Ann|8**",
		"[a](/user_uploads/1/ab/a.txt) @**Ann|7**":    "[a](/user_uploads/9/cd/b.txt) @**Ann|70**",
		"@**Ann|7** [a](/user_uploads/x/y.txt)":       "@**Ann|70** [a](https://elsewhere.example/y.txt)",
		"/user_uploads/unknown /user_uploads/":        "/user_uploads/unknown /user_uploads/",
		"**|** @**Ann|7** **":                         "**|** @**Ann|70** **",
		"**bold** | [a](/user_uploads/1/ab/a.txt) **": "**bold** | [a](/user_uploads/9/cd/b.txt) **",
	} {
		if got := c.translated(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	for _, part := range []string{"**", "/user_uploads/ ", "@**x|7**", "@"} {
		text := "|" + strings.Repeat(part, maxContent/len(part))
		if took := testbed.ProcessorTime(t, func() { c.translated(text) }); took > time.Second {
			t.Errorf("%q: %s", part, took)
		}
	}
}
