package markdown_test

import (
	"os"
	"strconv"
	"strings"
	"testing"

	"chatserver.dev/pkg/markdown"
)

// Every name in the interface's table is shown as its emoji, with that name. A typed character is shown with the
// canonical name, if it is in the usual blocks (rest-api.md, section 7.6).
func TestEmojiTable(t *testing.T) {
	t.Parallel()
	table, err := os.ReadFile("../emoji/emoji.tsv")
	if err != nil {
		t.Fatal(err)
	}
	r := renderer()
	characters, left := 0, 0
	for line := range strings.SplitSeq(strings.TrimSpace(string(table)), "\n") {
		if strings.HasPrefix(line, "#") {
			continue
		}
		fields := strings.FieldsFunc(line, func(r rune) bool { return r == '\t' || r == ',' })
		span := func(name string) string {
			title := strings.ReplaceAll(name, "_", " ")
			return `<p><span aria-label="` + title + `" class="emoji emoji-` + fields[0] + `" role="img" title="` + title + `">:` + name + `:</span></p>`
		}
		for _, name := range fields[1:] {
			if got := rendered(t, r, ":"+name+":"); got != span(name) {
				t.Errorf("%s: %s", name, got)
			}
		}
		code, err := strconv.ParseInt(fields[0], 16, 32)
		if err != nil {
			continue // a sequence
		}
		characters++
		switch got := rendered(t, r, string(rune(code))); got {
		case span(fields[1]):
		case "<p>" + string(rune(code)) + "</p>":
			left++
		default:
			t.Errorf("%c: %s", rune(code), got)
		}
	}
	if characters != 1024 || left != 10 { // letterlike symbols and plain arrows
		t.Errorf("%d characters, %d of them left as they are", characters, left)
	}
}

func rendered(t *testing.T, r *markdown.Renderer, source string) string {
	t.Helper()
	result, err := r.Render(t.Context(), source, markdown.Context{})
	if err != nil {
		t.Fatal(err)
	}
	return result.HTML
}
