package markdown

import (
	"strconv"
	"strings"

	"github.com/yuin/goldmark/ast"
	xast "github.com/yuin/goldmark/extension/ast"

	"chatserver.dev/pkg/id"
)

// page writes the HTML of one text.
type page struct {
	renderer *Renderer
	in       *Context
	source   string
	raw      []byte // source, for goldmark
	out      []byte
	result   Result

	quotes    int       // number of open quotes
	collect   bool      // links of the current block get previews
	pending   []preview // of the current block
	previewed []string  // distinct URLs with a preview so far

	highlighted int              // bytes of code that were passed to a lexer
	searching   int              // rest of maxSearch
	mentioned   map[id.User]bool // those of result
	watch       *watch
}

func (r *Renderer) page(source string, raw []byte, in *Context, w *watch) *page {
	p, ok := r.pages.Get().(*page)
	if !ok {
		p = new(page)
	}
	p.reset(r, source, raw, in, w)
	return p
}

func (p *page) reset(r *Renderer, source string, raw []byte, in *Context, w *watch) {
	*p = page{
		renderer: r, in: in, source: source, raw: raw, watch: w,
		out: p.out[:0], pending: p.pending[:0], previewed: p.previewed[:0], searching: maxSearch,
	}
}

// stopped reports whether rendering must stop, because the HTML is certainly too long or the context has ended.
func (p *page) stopped() bool {
	return len(p.out) > 4*MaxHTML || p.watch.over()
}

func (p *page) write(parts ...string) {
	for _, part := range parts {
		p.out = append(p.out, part...)
	}
}

// blocks writes the children of a block, separated by line feeds.
func (p *page) blocks(parent ast.Node) {
	separator := ""
	for n := parent.FirstChild(); n != nil && !p.stopped(); n = n.NextSibling() {
		mark := len(p.out)
		p.write(separator)
		last := p.block(n)
		if last == nil {
			p.out = p.out[:mark]
			continue
		}
		n = last
		separator = separatorAfter(n)
	}
}

// separatorAfter adds the extra line feeds after code blocks.
func separatorAfter(n ast.Node) string {
	switch n := n.(type) {
	case *ast.CodeBlock:
		return "\n\n\n"
	case *fence:
		if n.role == codeFence {
			return "\n\n\n"
		}
	}
	return "\n"
}

// block writes a block and returns the last sibling that it covered, or nil if the block isn't
// shown.
func (p *page) block(n ast.Node) ast.Node {
	switch n := n.(type) {
	case *ast.Paragraph:
		p.paragraph(n)
	case *ast.TextBlock:
		p.textWithPreviews(n)
	case *ast.Heading:
		tag := "h" + strconv.Itoa(n.Level) + ">"
		p.write("<", tag)
		p.inline(p.linesOf(n))
		p.write("</", tag)
	case *ast.ThematicBreak:
		p.write("<hr>")
	case *ast.Blockquote:
		p.quote(n)
	case *ast.CodeBlock:
		var code strings.Builder
		for _, line := range n.Lines().Sliced(0, n.Lines().Len()) {
			code.Write(line.Value(p.raw))
		}
		p.code(code.String(), "")
	case *ast.List:
		return p.list(n)
	case *xast.Table:
		p.table(n)
	case *fence:
		switch n.role {
		case codeFence:
			p.code(string(n.body), n.language)
		case mathFence:
			p.displayMath(string(n.body))
		case quoteFence:
			p.quote(n)
		case spoilerFence:
			if !p.spoiler(n) {
				return nil
			}
		}
	default:
		return nil
	}
	return n
}

func (p *page) paragraph(n ast.Node) {
	mark := len(p.out)
	p.write("<p>")
	p.collect = true
	p.inline(p.linesOf(n))
	p.collect = false
	p.write("</p>")
	if len(p.pending) == 1 && p.pending[0].alone {
		p.out = p.out[:mark]
	} else if len(p.pending) > 0 {
		p.write("\n")
	}
	p.flushPreviews()
}

// textWithPreviews writes the text of a list item that has no paragraph around it.
func (p *page) textWithPreviews(n ast.Node) {
	p.collect = true
	p.inline(p.linesOf(n))
	p.collect = false
	p.flushPreviews()
}

func (p *page) quote(n ast.Node) {
	p.quotes++
	p.write("<blockquote>\n")
	mark := len(p.out)
	p.blocks(n)
	if len(p.out) > mark {
		p.write("\n")
	}
	p.write("</blockquote>")
	p.quotes--
}

// list writes a list together with the lists of the same kind that directly follow, since bullets may be
// mixed. It returns the last one.
func (p *page) list(list *ast.List) ast.Node {
	tag := "ul"
	open := "<ul>\n"
	if list.IsOrdered() {
		tag, open = "ol", "<ol>\n"
		if list.Start != 1 {
			open = `<ol start="` + strconv.Itoa(list.Start) + "\">\n"
		}
	}
	p.write(open)
	last := list
	for {
		for item := last.FirstChild(); item != nil && !p.stopped(); item = item.NextSibling() {
			p.item(item)
		}
		next, ok := last.NextSibling().(*ast.List)
		if !ok || next.IsOrdered() != list.IsOrdered() {
			break
		}
		last = next
	}
	p.write("</", tag, ">")
	return last
}

func (p *page) item(item ast.Node) {
	p.write("<li>")
	first := item.FirstChild()
	if text, ok := first.(*ast.TextBlock); ok {
		p.textWithPreviews(text)
		first = text.NextSibling()
	} else if first != nil {
		p.write("\n")
	}
	for n := first; n != nil; n = n.NextSibling() {
		mark := len(p.out)
		if last := p.block(n); last != nil {
			n = last
			p.write("\n")
		} else {
			p.out = p.out[:mark]
		}
	}
	p.write("</li>\n")
}

// linesOf returns the text of a block. It doesn't copy the text if the lines are contiguous in the source, as
// usual outside of quotes and lists.
func (p *page) linesOf(n ast.Node) string {
	lines := n.Lines()
	count := lines.Len()
	if count == 0 {
		return ""
	}
	joined := true
	for i := 1; i < count && joined; i++ {
		joined = lines.At(i-1).Stop == lines.At(i).Start
	}
	if joined {
		return strings.TrimSpace(p.source[lines.At(0).Start:lines.At(count-1).Stop])
	}
	var b strings.Builder
	for i := range count {
		line := lines.At(i)
		b.WriteString(strings.Trim(p.source[line.Start:line.Stop], " \t\n"))
		if i < count-1 {
			b.WriteByte('\n')
		}
	}
	return b.String()
}
