package lmtp

import (
	"fmt"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"chatserver.dev/pkg/gateway"
)

// The work for HTML is bounded, whatever its form: by the number of nodes that are parsed, and by the number and the depth of those that are
// converted.
func TestHostileHTML(t *testing.T) {
	t.Parallel()
	attributes, names := strings.Builder{}, strings.Builder{}
	for i := range 400 {
		fmt.Fprintf(&attributes, "<b a=%d>", i)
	}
	for _, name := range []string{"b", "i", "em", "code", "s", "strike", "strong", "tt", "u", "font", "big", "small", "nobr"} {
		names.WriteString(strings.Repeat("<"+name+">", 3))
	}
	spans := strings.Repeat("<span>", 480)
	for what, text := range map[string]string{
		"elements with attributes": "<p>" + attributes.String() + strings.Repeat("<p>x", 60_000),
		"elements of all names":    "<p>" + names.String() + "<a href=x>" + strings.Repeat("<p>x", 60_000),
		"in deep spans":            spans + strings.Repeat("<i>x</i>", 32_000),
		"items in deep spans":      spans + strings.Repeat("<li>x", 50_000),
	} {
		root, err := html.Parse(strings.NewReader(plainer(text)))
		if err != nil {
			t.Fatal(err)
		}
		if nodes, _ := measure(root); nodes > 30*maxTags {
			t.Errorf("%s: %d nodes are parsed", what, nodes)
		}
		left := maxNodes
		flatten(root, 0, 0, &left)
		if nodes, levels := measure(root); nodes > maxNodes || levels > maxLevels+2 { // with an element that has no others, and its text
			t.Errorf("%s: %d nodes and %d levels are converted", what, nodes, levels)
		}
		if got := fromHTML(text, gateway.Options{}); strings.Count(got, "x") < 100 {
			t.Errorf("%s: %.200q", what, got)
		}
	}
}

// measure returns how many nodes there are below n, and how deep they are.
func measure(n *html.Node) (nodes, levels int) {
	for child := range n.ChildNodes() {
		more, deeper := measure(child)
		nodes, levels = nodes+1+more, max(levels, 1+deeper)
	}
	return nodes, levels
}

// What Markdown has stays, without the attributes and elements that it doesn't have.
func TestPlainHTML(t *testing.T) {
	t.Parallel()
	got := fromHTML(`<p style="x"><b style="color: red">bold</b> <font face="serif">and <i class=x>small</i></font> <U>text</u>,
		<a title="<>" href="https://a.example/?a=1&amp;b=2">a &amp; link</a> &amp; <img src="https://a.example/b.png" alt="a picture"></p><pre>a  &lt;b</pre>`, gateway.Options{})
	want := "**bold** and *small* text, [a & link](https://a.example/?a=1&b=2) & ![a picture](https://a.example/b.png)\n\n```\na  <b\n```"
	if got != want {
		t.Errorf("%q\nwant %q", got, want)
	}
}
