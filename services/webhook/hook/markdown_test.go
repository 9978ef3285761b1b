package hook_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/markdown"
	"chatserver.dev/pkg/testbed"
	"chatserver.dev/services/webhook/hook"
)

// hostile are texts with Markdown, in particular mentions.
func hostile() []string {
	return []string{
		"@**all**", "@**everyone**", "@**stream**", "@_**all**", "@**Ada**", "@_**Ada**", "@**Ada|2**", "@_**Ada|2**", "@*crew*",
		"a @**all** b", "(@**all**", `"@**all**"`, ",@**all**", "<@**all**", ":@**all**", "@**all", "all**", "@", "@_", "x @", "x @_", "#", "x #",
		"@\n**all**", "@\u200b**all**", "@\x01**all**", "@\u202e**all**", "@**all**\r\n@**all**", "&#64;**all**", "@&#42;&#42;all&#42;&#42;", "\\@\\*\\*all\\*\\*",
		"#**general**", "#**general>x**", "#general", "# heading", "###### h", "- item", "* item", "+ item", "1. item", "12) item", "---", "___", "_ __", "__ _", "_ _ _", "===", "***", "> quote", ">",
		"```", "~~~ quote", "``` quote\n@**all**\n```", "`@**all**`", "``a", "a`", "\\`", "    code", "\tcode", "a | b\n---|---\nc | d", "|", "a|b",
		"*a*", "**a**", "***a***", "~~a~~", "[a](http://b.example)", "](http://b.example)", "x](http://b.example) @**all** [y", "![a](http://b.example/c.png)",
		"[", "]", "[[", "a\\", "\\]", "\\", "(", ")", "$$x$$", "<time:2026-01-01>", "<b>x</b>", "<script>", "&copy;", "&amp;", "&lt;", "&", "&#", "a & b", "a&b;",
		":smile:", ":smile::smile:", ":)", "<3", "https://a.example/*b*", "https://a.example/@**all**", "https://a.example/)@**all**", "http://a.example:80/a_b?c=d&e=f#g", "https://", "http://[::1]/*",
		"https://a.example/" + strings.Repeat("x", 3000), "mail@a.example", "a.example/*b*", "(http://a.example/*)", "a.example", "0.AC##", "a.example?@", "a.example?b=*c*", `"http://0&00`, `"http://0:0:0`, `"http://a.example/@`, "C:\\tmp\\*", "", " ", "/me waves", "ä ö €", "_x_",
	}
}

func render(t testing.TB, source string) markdown.Result {
	t.Helper()
	user := markdown.User{ID: 2, Name: "Ada"}
	result, err := markdown.New(markdown.Config{}).Render(t.Context(), source, markdown.Context{
		Users: map[string]markdown.User{"ada": user, "all": user}, UsersByID: map[id.User]markdown.User{2: user}, Groups: map[string]id.Group{"crew": 1},
		Streams: map[string]id.Stream{"general": 3}, TranslateEmoticons: false, Previews: true,
	})
	if err != nil {
		t.Fatalf("%q: %v", source, err)
	}
	return result
}

// shown returns the visible text of HTML, and the elements in it except paragraphs.
func shown(t testing.TB, source string) (text string, elements []string) {
	t.Helper()
	tokens := html.NewTokenizer(strings.NewReader(source))
	for {
		switch tokens.Next() {
		case html.ErrorToken:
			return text, elements
		case html.TextToken:
			text += string(tokens.Text())
		case html.StartTagToken, html.SelfClosingTagToken:
			if name, _ := tokens.TagName(); string(name) != "p" {
				elements = append(elements, string(name))
			}
		case html.EndTagToken, html.CommentToken, html.DoctypeToken:
		}
	}
}

// Any text is shown literally, and has no effect except for links to pages.
func TestText(t *testing.T) {
	t.Parallel()
	for _, written := range hostile() {
		checkText(t, written)
	}
}

func FuzzText(f *testing.F) {
	for _, written := range hostile() {
		f.Add(written)
	}
	f.Fuzz(func(t *testing.T, written string) { checkText(t, written) })
}

// emojiCharacter matches characters that Markdown replaces by emoji with the same appearance.
var emojiCharacter = regexp.MustCompile(`[^\x00-\x{2000}]`)

func checkText(t *testing.T, written string) {
	t.Helper()
	written = strings.ToValidUTF8(strings.ReplaceAll(written, "\x00", ""), "")
	if emojiCharacter.MatchString(hook.Line(written)) || len(written) > 5000 {
		return
	}
	source := hook.Text(written).String()
	for place, around := range map[string][2]string{
		"alone": {"", ""}, "text": {"before ", " after"}, "strong": {"**", "**"}, "item": {"* ", ""}, "second line": {"x\n", "\ny"}, "stars after it": {"", "**all**"},
		"stars after a blank": {"", " **all**"}, "cell": {"a | ", "\n---|---\nc | d"}, "parentheses": {"(", ")"},
	} {
		result := render(t, around[0]+source+around[1])
		if result.Wildcard || len(result.MentionedUsers)+len(result.MentionedGroups) > 0 || strings.Contains(result.HTML, "mention") ||
			strings.Contains(result.HTML, `class="stream`) {
			t.Errorf("%q, %s: mentions: %s", written, place, result.HTML)
		}
		if place != "alone" {
			continue
		}
		if strings.HasPrefix(source, "/me ") {
			t.Errorf("%q makes the message one about the sender's action", written)
		}
		text, elements := shown(t, result.HTML)
		if text != hook.Line(written) && !result.HasImage {
			t.Errorf("%q is shown as %q: %s", written, text, result.HTML)
		}
		for _, element := range elements {
			if element != "a" && !result.HasImage {
				t.Errorf("%q: <%s> in %s", written, element, result.HTML)
			}
		}
	}
}

func TestLink(t *testing.T) {
	t.Parallel()
	for _, written := range hostile() {
		source := hook.Format("see **%s** %s", hook.Link(written, "http://b.example/"+strings.ReplaceAll(written, "\n", "")), "there")
		result := render(t, source.String())
		if result.Wildcard || len(result.MentionedUsers)+len(result.MentionedGroups) > 0 || strings.Contains(result.HTML, "mention") {
			t.Errorf("%q mentions: %s", written, result.HTML)
		}
		text, elements := shown(t, result.HTML)
		if len(written) < 1000 && (strings.Join(elements, " ") != "strong a" || !strings.HasSuffix(text, " there") || !strings.Contains(text, hook.Line(written))) {
			t.Errorf("%q: %q %v %s", written, text, elements, result.HTML)
		}
	}
	for address, want := range map[string]string{
		"javascript:alert(1)": "a", "": "a", "//x.example": "a", "data:x": "a", " https://x.example/ ": "[a](https://x.example/)",
		"http://x.example/(a) b": "[a](http://x.example/%28a%29%20b)", "http://x.example/\n": "[a](http://x.example/)",
	} {
		if got := hook.Link("a", address).String(); got != want {
			t.Errorf("%q: %s", address, got)
		}
	}
	long := "https://x.example/" + strings.Repeat("x", 2000)
	if got := hook.Link("a", long).String(); got != "a" {
		t.Errorf("a link to a long address is %s", got)
	}
	if got := hook.Link("", long); got.Empty() {
		t.Error("a link without a text to a long address is empty")
	}
	if got := hook.Link(" ", "http://x.example/").String(); got != "[http://x.example/](http://x.example/)" {
		t.Errorf("a link without a text is %s", got)
	}
}

func TestFormat(t *testing.T) {
	t.Parallel()
	got := hook.Format("%s, %s, %d, %s", "*a*", hook.Format("*b*"), 3, hook.Join(" · ", hook.Text("c"), hook.Markdown{}, hook.Text("d")))
	if want := "&#42;a&#42;, *b*, 3, c · d"; got.String() != want {
		t.Errorf("%s", got)
	}
	for _, c := range []struct {
		written string
		limit   int
		want    string
	}{{"abc", 3, "abc"}, {"abcd", 3, "ab…"}, {"äöüß", 3, "äö…"}, {"a b c", 3, "a…"}, {"abc", 0, "…"}} {
		if got := hook.Cut(c.written, c.limit); got != c.want {
			t.Errorf("%q cut to %d: %q", c.written, c.limit, got)
		}
	}
}

// Code shows any text, and nothing in it has a meaning.
func TestCode(t *testing.T) {
	t.Parallel()
	for _, written := range hostile() {
		result := render(t, hook.Format("in %s here", hook.Code(written)).String())
		text, elements := shown(t, result.HTML)
		text = hook.Line(text) // blanks keep backquotes off the fences
		if line := hook.Line(written); line != "" && (text != "in "+line+" here" || !slices.Equal(elements, []string{"code"})) {
			t.Errorf("%q is shown as %q: %s", written, text, result.HTML)
		}
	}
}

// Fences are found in time that is linear in the text.
func TestLongCode(t *testing.T) {
	t.Parallel()
	marks := strings.Repeat("`", 1<<20)
	took := testbed.ProcessorTime(t, func() {
		hook.Code(marks)
		hook.CodeBlock("", marks)
	})
	if took > time.Second {
		t.Errorf("it takes %s", took)
	}
}

// What comes after a quote or a block of code is outside of it, whatever is in there.
func TestBlocks(t *testing.T) {
	t.Parallel()
	for _, written := range append(hostile(), "~~~", "~~~~\n~~~", "```\n````", "x\n~~~ quote", "```quote\n~~~", strings.Repeat("long ", 2000), "a\r\n~~~\r\nb") {
		for name, block := range map[string]hook.Markdown{"quote": hook.Quote(written), "code": hook.CodeBlock("python", written)} {
			if block.Empty() {
				if strings.TrimSpace(hook.Line(written)) != "" {
					t.Errorf("%s of %q is empty", name, written)
				}
				continue
			}
			result := render(t, hook.Format("before:\n\n%s\n\nafter", block).String())
			if !strings.HasSuffix(result.HTML, "\n<p>after</p>") {
				t.Errorf("%s of %q ends late: %s", name, written, result.HTML)
			}
			if name == "code" && (strings.Contains(result.HTML, "mention") || strings.Count(result.HTML, "<pre>") != 1) {
				t.Errorf("%q: %s", written, result.HTML)
			}
		}
	}
}

// However many backticks code has, it has no Markdown.
func TestCodeWithBackticks(t *testing.T) {
	t.Parallel()
	for _, run := range []int{1, 2, 29, 30, 31, 32, 500} {
		for _, between := range []string{" ", "` ", "x"} {
			written := strings.Repeat("`", run) + between + "[a](https://a.example) **b**"
			if got := render(t, hook.Code(written).String()).HTML; strings.Contains(got, "<a ") || strings.Contains(got, "<strong>") || strings.Count(got, "<code>") != 1 {
				t.Errorf("%d and %q: %.300s", run, between, got)
			}
		}
	}
}
