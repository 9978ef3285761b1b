package markdown_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"chatserver.dev/pkg/markdown"
)

// seeds returns texts with all kinds of markup, and attempts at injection.
func seeds() []string {
	return []string{
		"*a **b** c* ***d*** ~~e~~ `f` $$g$$ <time:2020-01-01> <time:x\"> &amp; &#60;script>",
		"# H\n\n* a\n  * b\n\n1. c\n\n> d\n> > e\n\n---\n\na|b\n-|:-:\n1|2\n\n    code",
		"```py\nprint('<script>')\n```\n~~~quote\n```spoiler *h* <b>\n@**Full Name** @*group*\n```\n~~~\n```math\n\\frac{<x>}\n```",
		"@**Full Name|12** @_**zoë <b>** @**all** #**Stream>t\"<x>** #**a>b** :cat_a: :smile: :zulip: 🙂❤️👍🏽 :) <3",
		"[x](javascript:alert(1)) [x](JAVASCRIPT:x) [x](data:text/html,x) [x](  javascript:x) [x](java\nscript:x) [x](\x01javascript:x)",
		"[a\"onclick=x](http://a.com/\"onmouseover=x \"t\"onfocus=x\") http://a.com/\"onclick=x <http://a.com/'x>",
		"https://chat.example.com/javascript:alert(1) https://chat.example.com//x https://chat.example.com/user_uploads/1/x.png",
		"<script>alert(1)</script><img src=x onerror=alert(1)><a href='javascript:x'>",
		"http://a.com/x.png https://youtu.be/abcdefghijk [t](/user_uploads/x\"y.gif)",
		"[[[a](http://a.com)](http://b.com)](http://c.com) **[*x*](http://a.com**)* #12 #1&<2",
		"\xff\xfe \x00 \u2028 \ufeff \u202e", "`` ` ``` ` `` *** ** * ~~~ ~~", "```\n```spoiler\n```quote\n```", "> ```quote\n* > # x\n```",
	}
}

// FuzzRender checks that no text becomes active HTML: all tags and attributes are known ones, tags are balanced, and
// addresses have allowed schemes. It also checks that rendering needs no names that FindCandidates doesn't return.
func FuzzRender(f *testing.F) {
	for _, seed := range seeds() {
		f.Add(seed)
	}
	r := renderer()
	linkifier, err := markdown.NewLinkifier(`#(?P<id>[0-9&<]+)`, "https://t.example.com/%(id)s")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, source string) {
		if len(source) > 10_000 {
			t.Skip()
		}
		in := office()
		in.TranslateEmoticons = true
		in.Linkifiers = []*markdown.Linkifier{linkifier}
		result, err := r.Render(t.Context(), source, in)
		if err != nil {
			if !errors.Is(err, markdown.ErrTooLong) {
				t.Fatal(err)
			}
			return
		}
		checkSafe(t, source, result.HTML)
		description, err := r.RenderDescription(t.Context(), source, in)
		if err == nil {
			checkSafe(t, source, description)
		}
		checkCandidates(t, r, source)
	})
}

// ours returns the allowed tags with their attributes.
func ours() map[string]string {
	return map[string]string{
		"p": "", "br": "", "hr": "", "h1": "", "h2": "", "h3": "", "h4": "", "h5": "", "h6": "", "ul": "", "ol": "start", "li": "",
		"blockquote": "", "pre": "", "code": "", "table": "", "thead": "", "tbody": "", "tr": "", "th": "align", "td": "align",
		"em": "", "strong": "", "del": "", "time": "datetime", "math": "xmlns", "semantics": "", "annotation": "encoding",
		"span": "aria-hidden aria-label class data-user-group-id data-user-id role title", "div": "aria-hidden class",
		"a": "class data-id data-stream-id href title", "img": "alt class src title",
	}
}

func checkSafe(t *testing.T, source, rendered string) {
	t.Helper()
	tags := ours()
	var open []string
	z := html.NewTokenizer(strings.NewReader(rendered))
	for {
		kind := z.Next()
		token := z.Token()
		switch kind {
		case html.ErrorToken:
			if len(open) > 0 {
				t.Errorf("%q: %v stay open: %s", source, open, rendered)
			}
			return
		case html.TextToken:
		case html.StartTagToken:
			attributes, ok := tags[token.Data]
			if !ok {
				t.Fatalf("%q: tag %s: %s", source, token.Data, rendered)
			}
			checkAttributes(t, rendered, token, strings.Fields(attributes))
			if token.Data == "a" && slices.Contains(open, "a") {
				t.Errorf("%q: link in a link: %s", source, rendered)
			}
			if !slices.Contains([]string{"br", "hr", "img"}, token.Data) {
				open = append(open, token.Data)
			}
		case html.EndTagToken:
			if len(open) == 0 || open[len(open)-1] != token.Data {
				t.Fatalf("%q: </%s> closes %v: %s", source, token.Data, open, rendered)
			}
			open = open[:len(open)-1]
		case html.SelfClosingTagToken, html.CommentToken, html.DoctypeToken:
			t.Fatalf("%q: %s: %s", source, token, rendered)
		}
	}
}

func checkAttributes(t *testing.T, rendered string, token html.Token, allowed []string) {
	t.Helper()
	for _, attribute := range token.Attr {
		if !slices.Contains(allowed, attribute.Key) {
			t.Errorf("attribute %s of %s: %s", attribute.Key, token.Data, rendered)
		}
		if attribute.Key == "href" || attribute.Key == "src" {
			scheme, _, found := strings.Cut(attribute.Val, ":")
			if found && !strings.ContainsAny(scheme, "/?#") && !slices.Contains([]string{"http", "https", "ftp", "mailto", "bitcoin"}, strings.ToLower(scheme)) {
				t.Errorf("address %q: %s", attribute.Val, rendered)
			}
		}
		if attribute.Key == "src" && (strings.HasPrefix(attribute.Val, "//") || !strings.HasPrefix(attribute.Val, "/") && !strings.HasPrefix(attribute.Val, "user_uploads/")) {
			t.Errorf("image of another server %q: %s", attribute.Val, rendered)
		}
		if strings.ContainsFunc(attribute.Val, func(r rune) bool { return r < ' ' && attribute.Key != "title" }) {
			t.Errorf("control character in %q: %s", attribute.Val, rendered)
		}
	}
}

// The text after a language isn't part of the HTML.
func TestLanguageClassesAreFixed(t *testing.T) {
	t.Parallel()
	result, err := renderer().Render(t.Context(), "```py\" onclick=\"x\npass\n```", office())
	if err != nil || strings.Contains(result.HTML, "onclick") {
		t.Errorf("%s %v", result.HTML, err)
	}
}
