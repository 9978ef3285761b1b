package markdown

import (
	"bytes"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// maxNesting is how deeply blocks may be nested. A list counts twice, for itself and
// for its item. Deeper blocks are text.
const maxNesting = 24

// maxFences is how deeply fences may be nested. The limit is lower because fences stay open over lines of a single byte, and
// goldmark stores each line for every open block.
const maxFences = 10

// parseContext passes the rendering context through goldmark's parser to this package's block parsers.
type parseContext struct {
	parser.Context
	in   *Context
	bare bareLines // the result of the last readBare
}

func newBlockParser() parser.Parser {
	return parser.NewParser(
		parser.WithBlockParsers(
			util.Prioritized(parser.NewThematicBreakParser(), 200),
			util.Prioritized(listParser{parser.NewListParser()}, 300),
			util.Prioritized(itemParser{parser.NewListItemParser()}, 400),
			util.Prioritized(indentedCodeParser{parser.NewCodeBlockParser()}, 500),
			util.Prioritized(headingParser{parser.NewATXHeadingParser()}, 600),
			util.Prioritized(fenceParser{parser.NewFencedCodeBlockParser()}, 700),
			util.Prioritized(quoteParser{parser.NewBlockquoteParser()}, 800),
			util.Prioritized(paragraphParser{parser.NewParagraphParser()}, 1000),
		),
		parser.WithParagraphTransformers(util.Prioritized(newTableTransformer(), 200)),
	)
}

func tooDeep(pc parser.Context) bool {
	return len(pc.OpenedBlocks()) >= maxNesting
}

// indentedCodeParser is disabled by [Context.NoIndentedCode].
type indentedCodeParser struct{ parser.BlockParser }

// Open is part of [parser.BlockParser].
func (c indentedCodeParser) Open(parent ast.Node, reader text.Reader, pc parser.Context) (ast.Node, parser.State) {
	if own, ok := pc.(*parseContext); ok && own.in.NoIndentedCode {
		return nil, parser.NoChildren
	}
	return c.BlockParser.Open(parent, reader, pc)
}

// paragraphParser accepts every line that no other parser accepts, so that no text is ever lost.
type paragraphParser struct{ parser.BlockParser }

// CanAcceptIndentedLine is part of [parser.BlockParser].
func (paragraphParser) CanAcceptIndentedLine() bool { return true }

// headingParser requires a text after the number signs.
type headingParser struct{ parser.BlockParser }

// Open is part of [parser.BlockParser].
func (h headingParser) Open(parent ast.Node, reader text.Reader, pc parser.Context) (ast.Node, parser.State) {
	line, _ := reader.PeekLine()
	if len(bytes.Trim(line, "# \t\n")) == 0 {
		return nil, parser.NoChildren
	}
	return h.BlockParser.Open(parent, reader, pc)
}

// quoteParser treats signs (>) that quote nothing as text. Lines of signs alone quote the text
// that directly follows.
type quoteParser struct{ parser.BlockParser }

// Open is part of [parser.BlockParser].
func (q quoteParser) Open(parent ast.Node, reader text.Reader, pc parser.Context) (ast.Node, parser.State) {
	if own, ok := pc.(*parseContext); !ok || tooDeep(pc) || !own.quotesSomething(reader) {
		return nil, parser.NoChildren
	}
	return q.BlockParser.Open(parent, reader, pc)
}

// Continue is part of [parser.BlockParser].
func (q quoteParser) Continue(node ast.Node, reader text.Reader, pc parser.Context) parser.State {
	state := q.BlockParser.Continue(node, reader, pc)
	if line, _ := reader.PeekLine(); state == parser.Close && node.ChildCount() == 0 && textLine(line) {
		return parser.Continue | parser.HasChildren
	}
	return state
}

// textLine reports whether a line can only be text: it isn't blank and no other block begins in it.
func textLine(line []byte) bool {
	trimmed := bytes.TrimLeft(line, " ")
	if len(trimmed) == 0 || len(line)-len(trimmed) > 3 || bytes.IndexByte([]byte("\t\n>`~#*-+_"), trimmed[0]) >= 0 {
		return false
	}
	_, item := numbered(line)
	return !item
}

// quotesSomething reports whether there is quoted text in this line or those that directly follow.
func (c *parseContext) quotesSomething(reader text.Reader) bool {
	line, segment := reader.PeekLine()
	if !bare(line) {
		return true
	}
	source := reader.Source()
	next := min(segment.Stop, len(source))
	if next < c.bare.from || next > c.bare.to {
		c.bare = readBare(source, next)
	}
	return c.bare.quotes
}

// bareLines are consecutive lines with only signs of a quote. They are read once, however
// many of them could begin a quote.
type bareLines struct {
	from, to int  // offsets of their start and their end
	quotes   bool // the line after them is a quoted text
}

func readBare(source []byte, from int) bareLines {
	b := bareLines{from: from, to: from}
	for line := range bytes.Lines(source[from:]) {
		if quoted := bytes.HasPrefix(bytes.TrimLeft(line, " "), []byte(">")); !quoted || !bare(line) {
			b.quotes = quoted || textLine(line)
			break
		}
		b.to += len(line)
	}
	return b
}

// bare reports whether a line has only signs of a quote and blanks.
func bare(line []byte) bool { return len(bytes.Trim(line, "> \t\n")) == 0 }
