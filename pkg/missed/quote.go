package missed

import (
	"html"
	"html/template"
	"net/url"
	"slices"
	"strconv"
	"strings"

	dom "golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"chatserver.dev/pkg/catalogue"
)

const (
	// maxMarkup is the maximum size of a message's markup in a mail, in bytes. A longer message is cut to maxText
	// characters without markup.
	maxMarkup = 16 << 10
	maxText   = 2000
)

// quoted returns a rendered message for mail, as text and as markup. It leaves out images, text hidden by spoilers,
// and all but a few kinds of elements, which have no attributes. Links go only to web sites or mail addresses.
// Relative ones are resolved against base.
func quoted(rendered, base string, texts catalogue.Texts) (string, template.HTML) {
	root := &dom.Node{Type: dom.ElementNode, Data: "body", DataAtom: atom.Body}
	nodes, err := dom.ParseFragment(strings.NewReader(rendered), root)
	if err != nil { // reading from memory doesn't fail
		return "", ""
	}
	at, err := url.Parse(base)
	if err != nil {
		at = &url.URL{}
	}
	q := quote{base: at, hidden: texts.Mail.Hidden}
	for _, n := range nodes {
		q.node(n)
	}
	text := strings.TrimSpace(blankLines(q.text.String()))
	if q.markup.Len() > maxMarkup {
		characters := []rune(text)
		text = string(characters[:min(len(characters), maxText)]) + "…"
		return text, template.HTML("<p>" + html.EscapeString(text) + "</p>") //nolint:gosec // it is escaped
	}
	return text, template.HTML(q.markup.String()) //nolint:gosec // it has text, which is escaped, and the elements of this file
}

// blankLines replaces several empty lines with one.
func blankLines(text string) string {
	lines := strings.Split(text, "\n")
	lines = slices.CompactFunc(lines, func(a, b string) bool { return strings.TrimSpace(a) == "" && strings.TrimSpace(b) == "" })
	return strings.Join(lines, "\n")
}

// quote is a message in the process of conversion.
type quote struct {
	base         *url.URL
	hidden       string // replaces the text that a spoiler hides
	text, markup strings.Builder
}

func (q *quote) node(n *dom.Node) {
	if n.Type == dom.TextNode {
		q.say(n.Data)
		return
	}
	if n.Type != dom.ElementNode {
		return
	}
	classes := strings.Fields(attribute(n, "class"))
	switch {
	case slices.Contains(classes, "message_inline_image"):
	case slices.Contains(classes, "spoiler-content"):
		q.in("p", func() { q.say(q.hidden) })
	case slices.Contains(classes, "emoji"):
		q.emoji(n, classes)
	default:
		q.element(n)
	}
}

// say appends text.
func (q *quote) say(text string) {
	q.text.WriteString(text)
	q.markup.WriteString(html.EscapeString(text))
}

// in appends the output of fill, in an element without attributes.
func (q *quote) in(name string, fill func()) {
	q.markup.WriteString("<" + name + ">")
	fill()
	q.markup.WriteString("</" + name + ">")
}

func (q *quote) children(n *dom.Node) {
	for child := range n.ChildNodes() {
		q.node(child)
	}
}

func (q *quote) element(n *dom.Node) {
	inside := func() { q.children(n) }
	switch n.DataAtom { //nolint:exhaustive // all others are left out, and what is in them stays
	case atom.Script, atom.Style, atom.Iframe, atom.Object, atom.Embed, atom.Svg, atom.Math, atom.Template, atom.Img, atom.Video, atom.Audio:
	case atom.A:
		q.link(n)
	case atom.Br, atom.Hr:
		q.text.WriteString("\n")
		q.markup.WriteString("<" + n.Data + ">")
	case atom.Li:
		q.text.WriteString("\n* ")
		q.in(n.Data, inside)
	case atom.Blockquote:
		q.cite(inside)
	case atom.P, atom.Div, atom.Ul, atom.Ol, atom.Pre, atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Table, atom.Tr:
		q.text.WriteString("\n")
		q.in(n.Data, inside)
		q.text.WriteString("\n")
	case atom.Td, atom.Th:
		q.in(n.Data, inside)
		q.text.WriteString(" ")
	case atom.Strong, atom.Em, atom.Del, atom.Code, atom.Thead, atom.Tbody:
		q.in(n.Data, inside)
	default:
		inside()
	}
}

// cite appends a quotation. In the text, its lines begin with a mark.
func (q *quote) cite(inside func()) {
	outer := q.text.String()
	q.text.Reset()
	q.in("blockquote", inside)
	cited := strings.TrimSpace(blankLines(q.text.String()))
	q.text.Reset()
	q.text.WriteString(outer + "\n> " + strings.ReplaceAll(cited, "\n", "\n> ") + "\n")
}

// link appends a link. The text includes its address if that differs.
func (q *quote) link(n *dom.Node) {
	to, err := q.base.Parse(attribute(n, "href"))
	if err != nil || !slices.Contains([]string{"http", "https", "mailto"}, to.Scheme) {
		q.children(n)
		return
	}
	before := q.text.Len()
	q.markup.WriteString(`<a href="` + html.EscapeString(to.String()) + `">`)
	q.children(n)
	q.markup.WriteString("</a>")
	if shown := strings.TrimSpace(q.text.String()[before:]); shown != "" && shown != to.String() && shown != attribute(n, "href") {
		q.text.WriteString(" (" + to.String() + ")")
	}
}

// emoji appends an emoji: its characters, or the name of its image.
func (q *quote) emoji(n *dom.Node, classes []string) {
	for _, class := range classes {
		codes, ok := strings.CutPrefix(class, "emoji-")
		if !ok {
			continue
		}
		characters := strings.Builder{}
		for code := range strings.SplitSeq(codes, "-") {
			if number, err := strconv.ParseUint(code, 16, 21); err == nil {
				characters.WriteRune(rune(number)) // 21 bits
			}
		}
		if characters.Len() > 0 {
			q.say(characters.String())
			return
		}
	}
	if alt := attribute(n, "alt"); alt != "" {
		q.say(alt)
		return
	}
	q.children(n)
}

func attribute(n *dom.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}
