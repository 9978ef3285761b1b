package markdown

import (
	"bytes"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	xast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// maxCells is the maximum number of cells of a table. Short rows are filled up with empty cells, so a text of 10,000
// bytes could otherwise have millions of them.
const maxCells = 5000

// maxColumns is the maximum number of columns of a table, with what is before its first bar and after its last one. Browsers take
// long to lay out wide tables, and many of them are on screen together, since they aren't high.
const maxColumns = 100

// tableTransformer converts paragraphs whose second or later line is a row of dashes with
// at least one bar to tables.
type tableTransformer struct{ parser.ParagraphTransformer }

func newTableTransformer() tableTransformer {
	return tableTransformer{extension.NewTableParagraphTransformer()}
}

// Transform is part of [parser.ParagraphTransformer].
func (t tableTransformer) Transform(node *ast.Paragraph, reader text.Reader, pc parser.Context) {
	rows := node.Lines()
	for i := 1; i < rows.Len(); i++ {
		line := rows.At(i)
		value := bytes.TrimSpace(line.Value(reader.Source()))
		if len(bytes.Trim(value, "-:| \t")) > 0 {
			continue
		}
		columns := bytes.Count(value, []byte("|")) + 1
		if columns > 1 && columns <= maxColumns && columns*(rows.Len()-i+1) <= maxCells {
			t.ParagraphTransformer.Transform(node, reader, pc)
		}
		return
	}
}

func (p *page) table(table *xast.Table) {
	p.write("<table>\n")
	body := false
	for row := table.FirstChild(); row != nil; row = row.NextSibling() {
		tag := "td"
		switch {
		case row.Kind() == xast.KindTableHeader:
			tag = "th"
			p.write("<thead>\n")
		case !body:
			body = true
			p.write("<tbody>\n")
		}
		p.row(row, tag)
		if tag == "th" {
			p.write("</thead>\n")
		}
	}
	if !body {
		p.write("<tbody>\n")
	}
	p.write("</tbody>\n</table>")
}

func (p *page) row(row ast.Node, tag string) {
	p.write("<tr>\n")
	for n := row.FirstChild(); n != nil; n = n.NextSibling() {
		p.write("<", tag)
		if cell, ok := n.(*xast.TableCell); ok && cell.Alignment != xast.AlignNone {
			p.write(` align="`, cell.Alignment.String(), `"`)
		}
		p.write(">")
		p.inline(strings.ReplaceAll(p.linesOf(n), `\|`, "|"))
		p.write("</", tag, ">\n")
	}
	p.write("</tr>\n")
}
