package lmtp

import (
	"regexp"
	"strings"

	"github.com/JohannesKaufmann/html-to-markdown/v2/converter"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/base"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/commonmark"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"chatserver.dev/pkg/gateway"
)

// intro matches lines by which mail programs introduce a quotation.
var intro = regexp.MustCompile(`(?i)^\s*>*\s*(?:on\b.{5,200}\bwrote:|am\b.{5,200}\bschrieb\b.{0,200}:|le\b.{5,200}\ba écrit\s*:|-{2,}\s*(?:original message|forwarded message|ursprüngliche nachricht)\s*-{2,}|_{20,})\s*$`)

// fromPlain returns a text without quotations and footer, unless the options keep them.
func fromPlain(text string, o gateway.Options) string {
	lines := strings.Split(strings.TrimRight(text, " \t\n"), "\n")
	if !o.KeepQuotes {
		lines = withoutQuotes(lines)
	}
	if !o.KeepFooter {
		lines = withoutFooter(lines)
	}
	return strings.Join(lines, "\n")
}

// withoutQuotes cuts what follows the line that introduces a quotation, and quoted lines at the end. An introduction
// may take two lines. If the text has nothing else, nothing is cut.
func withoutQuotes(lines []string) []string {
	kept := lines
	for i, line := range lines {
		if intro.MatchString(line) || i+1 < len(lines) && !strings.HasPrefix(line, ">") && intro.MatchString(line+" "+lines[i+1]) {
			kept = lines[:i]
			break
		}
	}
	for len(kept) > 0 {
		last := strings.TrimSpace(kept[len(kept)-1])
		if last != "" && !strings.HasPrefix(last, ">") {
			return kept
		}
		kept = kept[:len(kept)-1]
	}
	return lines
}

// withoutFooter cuts the signature, which begins with a line of two dashes. If there are several such lines, or no text
// before it, nothing is cut.
func withoutFooter(lines []string) []string {
	at := -1
	for i, line := range lines {
		if strings.TrimSpace(line) != "--" {
			continue
		}
		if at >= 0 {
			return lines
		}
		at = i
	}
	if at <= 0 || strings.TrimSpace(strings.Join(lines[:at], "")) == "" {
		return lines
	}
	return lines[:at]
}

// fromHTML converts HTML to Markdown, without quotations and footer unless the options keep them. It returns "" for
// invalid HTML.
func fromHTML(text string, o gateway.Options) string {
	root, err := html.Parse(strings.NewReader(text))
	if err != nil {
		return ""
	}
	if !o.KeepQuotes {
		prune(root)
	}
	flatten(root, 0)
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
	return fromPlain(string(marked), o)
}

// maxNested is how many lists, quotations and headings that are in each other are shown as such.
const maxNested = 10

// flatten replaces those that are deeper by what is in them: the converter copies all text of each, with an indentation for each line, so a
// small mail could take minutes and gigabytes. nested is how many n is in.
func flatten(n *html.Node, nested int) {
	switch n.DataAtom { //nolint:exhaustive // others aren't copied
	case atom.Ul, atom.Ol, atom.Blockquote, atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		if nested++; nested > maxNested {
			n.DataAtom, n.Data = atom.Div, "div"
		}
	}
	for child := range n.ChildNodes() {
		flatten(child, nested)
	}
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
		n.Parent.RemoveChild(n)
	}
}

// isQuote reports whether an element is a quotation, as marked by mail programs.
func isQuote(n *html.Node) bool {
	if n.Type != html.ElementNode {
		return false
	}
	if n.DataAtom == atom.Blockquote {
		return true
	}
	for _, a := range n.Attr {
		switch {
		case a.Key == "class" && (strings.Contains(a.Val, "gmail_quote") || strings.Contains(a.Val, "moz-cite-prefix") || strings.Contains(a.Val, "yahoo_quoted")),
			a.Key == "id" && (a.Val == "divRplyFwdMsg" || a.Val == "appendonsend"):
			return true
		}
	}
	return false
}
