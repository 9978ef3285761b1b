package markdown

import (
	"bytes"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

type fenceRole int

const (
	codeFence fenceRole = iota
	mathFence
	quoteFence
	spoilerFence
)

// fence is a block between two equal fences (rest-api.md, section 7.3). Code and math hold their
// text; quotes and spoilers are containers of other blocks.
type fence struct {
	ast.BaseBlock
	role     fenceRole
	mark     string
	indent   int
	language string
	header   string // of a spoiler
	body     []byte // of code and math
}

// Kind is part of [ast.Node].
func (*fence) Kind() ast.NodeKind { return ast.KindFencedCodeBlock }

// Dump is part of [ast.Node].
func (f *fence) Dump(source []byte, level int) { ast.DumpHelper(f, source, level, nil, nil) }

// IsRaw is part of [ast.Node].
func (f *fence) IsRaw() bool { return f.role == codeFence || f.role == mathFence }

// fenceParser replaces goldmark's parser of fences.
type fenceParser struct{ parser.BlockParser }

// Close is part of [parser.BlockParser].
func (fenceParser) Close(ast.Node, text.Reader, parser.Context) {}

// Open is part of [parser.BlockParser].
func (fenceParser) Open(_ ast.Node, reader text.Reader, pc parser.Context) (ast.Node, parser.State) {
	raw, _ := reader.PeekLine()
	indent := pc.BlockOffset()
	if indent < 0 {
		return nil, parser.NoChildren
	}
	line := string(raw[indent:])
	char := line[:1]
	mark := line[:len(line)-len(strings.TrimLeft(line, char))]
	info := strings.TrimSpace(line[len(mark):])
	if len(mark) < 3 || strings.Contains(info, char) {
		return nil, parser.NoChildren
	}
	f := &fence{mark: mark, indent: indent}
	f.language, f.header = splitInfo(info)
	if own, ok := pc.(*parseContext); ok && f.language == "" && !insideSpoiler(pc) {
		f.language = strings.ToLower(own.in.CodeLanguage)
		if f.language == "spoiler" {
			f.language = ""
		}
	}
	f.role = roleOf(f.language)
	if !f.IsRaw() && len(pc.OpenedBlocks()) >= maxFences {
		return nil, parser.NoChildren
	}
	reader.AdvanceToEOL()
	if f.IsRaw() {
		return f, parser.NoChildren
	}
	return f, parser.HasChildren
}

// Continue is part of [parser.BlockParser].
func (fenceParser) Continue(node ast.Node, reader text.Reader, pc parser.Context) parser.State {
	f, ok := node.(*fence)
	if !ok {
		return parser.Close
	}
	line, _ := reader.PeekLine()
	width, pos := util.IndentWidth(line, reader.LineOffset())
	if width < 4 && f.closedBy(line[pos:]) && (f.IsRaw() || !innerClosed(f, width, pc)) {
		reader.AdvanceToEOL()
		return parser.Close
	}
	if !f.IsRaw() {
		return parser.Continue | parser.HasChildren
	}
	skip := 0
	for skip < f.indent && skip < len(line) && line[skip] == ' ' {
		skip++
	}
	f.body = append(f.body, line[skip:]...)
	if len(line) > 0 && line[len(line)-1] != '\n' {
		f.body = append(f.body, '\n')
	}
	reader.AdvanceToEOL()
	return parser.Continue | parser.NoChildren
}

func (f *fence) closedBy(line []byte) bool {
	return string(bytes.TrimRight(line, " \t\n")) == f.mark
}

// innerClosed reports whether a line that could close f closes a fence inside it instead.
func innerClosed(f *fence, width int, pc parser.Context) bool {
	inside := false
	for _, open := range pc.OpenedBlocks() {
		switch node := open.Node.(type) {
		case *fence:
			if inside && node.mark == f.mark {
				return true
			}
			inside = inside || node == f
		case *ast.ListItem:
			if inside && width < node.Offset {
				return false // the line ends the list
			}
		case *ast.Blockquote:
			if inside {
				return false // the line has no sign, it ends the quote
			}
		}
	}
	return false
}

func insideSpoiler(pc parser.Context) bool {
	for _, open := range pc.OpenedBlocks() {
		if f, ok := open.Node.(*fence); ok && f.role == spoilerFence {
			return true
		}
	}
	return false
}

// splitInfo splits the first line into a language and the rest. `{.python}`, `.python` and `python` are equivalent.
func splitInfo(info string) (language, rest string) {
	language, rest, _ = strings.Cut(info, " ")
	language = strings.TrimPrefix(strings.Trim(language, "{}"), ".")
	return strings.ToLower(language), strings.TrimSpace(rest)
}

func roleOf(language string) fenceRole {
	switch language {
	case "quote", "quoted":
		return quoteFence
	case "math":
		return mathFence
	case "spoiler":
		return spoilerFence
	}
	return codeFence
}
