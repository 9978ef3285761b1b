package htmldiff_test

import (
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"chatserver.dev/pkg/htmldiff"
	"chatserver.dev/pkg/markdown"
)

// FuzzDiff checks any pair of HTML texts: tags are balanced. Without the deleted text, the words are those of the new
// text, and without the inserted text, those of the old one.
func FuzzDiff(f *testing.F) {
	for _, pair := range [][2]string{
		{"<p>a b</p>", "<p>a <b>b</b> c</p>"},
		{"<ul><li>a<ul><li>b</li></ul></li></ul>", "<ul><li>a</li><li>b</li></ul>"},
		{"<pre> a\n b</pre>", "<pre>\n\n a\tc</pre>"},
		{"<table><tr><td>1<td>2</table>", "<table><tr><td>2</table>x"},
		{"<svg><p>x</p></svg>", "<math><mi>x</math>y<!-- z -->"},
		{"<a><b>x</a>y</b>", "<textarea><b></textarea><script>1</script>"},
	} {
		f.Add(pair[0], pair[1])
	}
	f.Fuzz(func(t *testing.T, before, after string) {
		got, err := htmldiff.Diff(before, after)
		if err != nil {
			t.Skip() // nested too deeply
		}
		checkBalanced(t, got)
	})
}

// FuzzDiffOfMessages checks the same for rendered messages.
func FuzzDiffOfMessages(f *testing.F) {
	for _, pair := range [][2]string{
		{"a *b* c", "a b **c**\n\nd"},
		{"* a\n* b\n  * c", "1. a\n2. b"},
		{"```py\ndef x():\n    pass\n```", "```py\ndef y(a):\n    return 1\n```\ntext"},
		{"a|b\n-|-\n1|2", "a|b\n-|-\n1|3\n4|5"},
		{"> quote\n\n$$x$$ `code`", "> quote more\n> > deeper\n\n$$y$$ ~~code~~"},
		{"```spoiler head\nbody\n```", "http://a.com/x.png :smile: <time:2020-01-01>"},
	} {
		f.Add(pair[0], pair[1])
	}
	renderer := markdown.New(markdown.Config{})
	f.Fuzz(func(t *testing.T, before, after string) {
		if len(before)+len(after) > 5000 {
			t.Skip()
		}
		in := markdown.Context{OrgURL: "https://chat.example.com", Previews: true}
		old, err := renderer.Render(t.Context(), before, in)
		if err != nil {
			t.Skip()
		}
		now, err := renderer.Render(t.Context(), after, in)
		if err != nil {
			t.Skip()
		}
		got, err := htmldiff.Diff(old.HTML, now.HTML)
		if err != nil {
			t.Fatal(err)
		}
		checkMerged(t, old.HTML, now.HTML, got)
	})
}

// checkMerged fails the test if a merged text is malformed or doesn't consist of the two texts.
func checkMerged(t *testing.T, before, after, merged string) {
	t.Helper()
	checkBalanced(t, merged)
	if got, want := words(t, merged, "highlight_text_deleted"), words(t, after, ""); got != want {
		t.Errorf("without what was deleted:\n%q\nwant\n%q\nin %s", got, want, merged)
	}
	// The order of deleted words may differ, but none is missing.
	got, want := []byte(words(t, merged, "highlight_text_inserted")), []byte(words(t, before, ""))
	slices.Sort(got)
	slices.Sort(want)
	if string(got) != string(want) {
		t.Errorf("without what was inserted:\n%q\nwant\n%q\nin %s", got, want, merged)
	}
}

// checkBalanced fails the test unless every element has an end tag in the right order.
func checkBalanced(t *testing.T, text string) {
	t.Helper()
	open := []string{}
	z := html.NewTokenizer(strings.NewReader(text))
	for kind := z.Next(); kind != html.ErrorToken; kind = z.Next() {
		tag, _ := z.TagName()
		name := string(tag)
		void := strings.Contains(" area base br col embed hr img input link meta param source track wbr ", " "+name+" ")
		if kind == html.StartTagToken && !void {
			open = append(open, name)
		}
		if kind == html.EndTagToken {
			if len(open) == 0 || open[len(open)-1] != name {
				t.Errorf("</%s> ends one of %v in %s", name, open, text)
				return
			}
			open = open[:len(open)-1]
		}
	}
	if !errors.Is(z.Err(), io.EOF) || len(open) > 0 {
		t.Errorf("%v, open: %v, in %s", z.Err(), open, text)
	}
}

// words returns a text without white space and without the elements of a class.
func words(t *testing.T, text, without string) string {
	t.Helper()
	nodes, err := html.ParseFragment(strings.NewReader(text), &html.Node{Type: html.ElementNode, Data: "body", DataAtom: atom.Body})
	if err != nil {
		t.Fatal(err)
	}
	out := strings.Builder{}
	visit := func(*html.Node) {}
	visit = func(n *html.Node) {
		if n.Type == html.TextNode {
			out.WriteString(strings.Join(strings.FieldsFunc(n.Data, func(c rune) bool { return strings.ContainsRune(" \t\n\f\r", c) }), ""))
		}
		for _, a := range n.Attr {
			if without != "" && a.Key == "class" && a.Val == without {
				return
			}
		}
		for child := range n.ChildNodes() {
			visit(child)
		}
	}
	for _, n := range nodes {
		visit(n)
	}
	return out.String()
}
