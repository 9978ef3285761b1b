package lmtp

import (
	"slices"
	"strings"

	"github.com/JohannesKaufmann/html-to-markdown/v2/converter"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/base"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/commonmark"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"chatserver.dev/pkg/gateway"
)

// fromHTML converts HTML to Markdown, without quotations and footer unless the options keep them. If there is nothing
// but quotations, they stay. It returns "" for invalid HTML.
func fromHTML(text string, o gateway.Options) string {
	marked := markdownOf(text, o.KeepQuotes)
	if strings.TrimSpace(marked) == "" && !o.KeepQuotes {
		marked = markdownOf(text, true)
	}
	return fromPlain(marked, o)
}

// markdownOf converts HTML to Markdown, with or without quotations, or to "" if it is invalid.
func markdownOf(text string, quotes bool) string {
	root, err := html.Parse(strings.NewReader(plainer(text)))
	if err != nil {
		return ""
	}
	if !quotes {
		prune(root)
	}
	left := maxNodes
	flatten(root, 0, 0, &left)
	separateCells(root)
	// This server's Markdown has no escapes: a backslash would be shown.
	convert := converter.NewConverter(
		converter.WithPlugins(base.NewBasePlugin(), commonmark.NewCommonmarkPlugin()), converter.WithEscapeMode(converter.EscapeModeDisabled),
	)
	convert.Register.RendererFor("tr", converter.TagTypeBlock, row, converter.PriorityStandard)
	marked, err := convert.ConvertNode(root)
	if err != nil {
		return ""
	}
	return string(marked)
}

const (
	// maxTags is the maximum number of tags: what comes after them is cut.
	maxTags = 10_000
	// maxNested is how many lists, quotations and headings that are in each other are shown as such.
	maxNested = 10
	// maxLevels is the maximum depth of an element that has others in it.
	maxLevels = 100
	// maxNodes is the maximum number of elements and texts: those that come after them are removed. A message has at most 10,000 characters.
	maxNodes = 10_000
)

// plainer returns HTML that can be parsed in little time and memory, whatever its length. In each paragraph, browsers and
// the parser open all elements such as <b> again that earlier ones have left open: 400 of these and 10,000 paragraphs in 40 KB
// would be 4 million elements. They do so for at most three elements that are equal, so removing attributes bounds that.
func plainer(text string) string {
	out := strings.Builder{}
	tokens := html.NewTokenizer(strings.NewReader(text))
	for tags := 0; tags < maxTags; {
		switch tokens.Next() { //nolint:exhaustive // others stay
		case html.ErrorToken:
			return out.String()
		case html.StartTagToken, html.SelfClosingTagToken:
			tags++
			tag := tokens.Token()
			switch tag.DataAtom { //nolint:exhaustive // others aren't opened again
			case atom.A: // there is at most one at a time
				tag.Attr = slices.DeleteFunc(tag.Attr, func(a html.Attribute) bool { return a.Key != "href" })
			case atom.B, atom.Code, atom.Em, atom.I, atom.S, atom.Strike, atom.Strong:
				tag.Attr = nil
			case atom.Big, atom.Font, atom.Nobr, atom.Small, atom.Tt, atom.U: // Markdown has nothing like them
				continue
			}
			out.WriteString(tag.String())
		case html.EndTagToken:
			tags++
			out.Write(tokens.Raw())
		default:
			out.Write(tokens.Raw())
		}
	}
	return out.String()
}

// flatten bounds the work of the converter, so that it takes milliseconds for a mail of any form. It replaces lists, quotations and headings
// that are deeper than maxNested by what is in them: the converter copies all text of each, with an indentation for each line, so a
// small mail could take minutes and gigabytes. It does so with all elements that are deeper than maxLevels, whose content the
// converter visits once for each of them, and removes what comes after maxNodes. n is at the given level, and in that many lists and
// so on; left is the remaining number of nodes.
func flatten(n *html.Node, level, nested int, left *int) {
	switch n.DataAtom { //nolint:exhaustive // others aren't copied
	case atom.Ul, atom.Ol, atom.Blockquote, atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		if nested++; nested > maxNested {
			n.DataAtom, n.Data = atom.Div, "div"
		}
	}
	for child := n.FirstChild; child != nil; {
		next := child.NextSibling
		*left--
		switch {
		case *left < 0:
			n.RemoveChild(child)
		case level >= maxLevels && hasElements(child):
			next = child.FirstChild
			lift(child)
		default:
			flatten(child, level+1, nested, left)
		}
		child = next
	}
}

func hasElements(n *html.Node) bool {
	for child := range n.ChildNodes() {
		if child.Type == html.ElementNode {
			return true
		}
	}
	return false
}

// lift replaces a node by its children.
func lift(n *html.Node) {
	for child := n.FirstChild; child != nil; child = n.FirstChild {
		n.RemoveChild(child)
		n.Parent.InsertBefore(child, n)
	}
	n.Parent.RemoveChild(n)
}

// separateCells puts a space after each cell of a table that has another one beside it.
func separateCells(root *html.Node) {
	isCell := func(n *html.Node) bool { return n.DataAtom == atom.Td || n.DataAtom == atom.Th }
	for n := range root.Descendants() {
		if isCell(n) && n.NextSibling != nil {
			n.AppendChild(&html.Node{Type: html.TextNode, Data: " "})
		}
	}
}

// row renders a row of a table as a line. Most tables in mail are for layout, so they don't become tables.
func row(ctx converter.Context, w converter.Writer, n *html.Node) converter.RenderStatus {
	_ = w.WriteByte('\n') // to memory
	ctx.RenderChildNodes(ctx, w, n)
	_ = w.WriteByte('\n')
	return converter.RenderSuccess
}

// prune removes quotations.
func prune(root *html.Node) {
	quotes := []*html.Node(nil)
	for n := range root.Descendants() {
		if isQuote(n) {
			quotes = append(quotes, n)
		}
	}
	for _, n := range quotes {
		for beginsQuote(n) && n.NextSibling != nil {
			n.Parent.RemoveChild(n.NextSibling)
		}
		if n.Parent != nil { // it wasn't removed with an earlier one
			n.Parent.RemoveChild(n)
		}
	}
}

// beginsQuote reports whether an element and all that follow it are a quotation, as marked by Outlook.
func beginsQuote(n *html.Node) bool {
	return slices.ContainsFunc(n.Attr, func(a html.Attribute) bool {
		return a.Key == "id" && (a.Val == "divRplyFwdMsg" || a.Val == "appendonsend")
	})
}

// isQuote reports whether an element is a quotation, as marked by mail programs.
func isQuote(n *html.Node) bool {
	if n.Type != html.ElementNode {
		return false
	}
	return n.DataAtom == atom.Blockquote || beginsQuote(n) || slices.ContainsFunc(n.Attr, func(a html.Attribute) bool {
		return a.Key == "class" && (strings.Contains(a.Val, "gmail_quote") || strings.Contains(a.Val, "moz-cite-prefix") || strings.Contains(a.Val, "yahoo_quoted"))
	})
}
