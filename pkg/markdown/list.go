package markdown

import (
	"bytes"
	"strconv"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// itemIndent is how many blanks further than an item a line must be indented to belong to it (rest-api.md, section 7.2).
const itemIndent = 2

// listParser treats "1)" as text, and permits a list in an item to begin with any number.
type listParser struct{ parser.BlockParser }

// Open is part of [parser.BlockParser].
func (l listParser) Open(parent ast.Node, reader text.Reader, pc parser.Context) (ast.Node, parser.State) {
	node, state := l.BlockParser.Open(parent, reader, pc) // always: it keeps state in pc
	if tooDeep(pc) {
		return nil, parser.NoChildren
	}
	if list, ok := node.(*ast.List); ok && list.Marker != ')' {
		return node, state
	}
	last := pc.LastOpenedBlock().Node
	if _, ok := parent.(*ast.ListItem); !ok || node != nil || !ast.IsParagraph(last) || last.Parent() != parent {
		return nil, parser.NoChildren
	}
	line, _ := reader.PeekLine()
	start, ok := numbered(line)
	if !ok {
		return nil, parser.NoChildren
	}
	list := ast.NewList('.')
	list.Start = start
	return list, parser.HasChildren
}

// numbered reads the number of a line that is an item of an ordered list with a text.
func numbered(line []byte) (int, bool) {
	line = bytes.TrimLeft(line, " ")
	size := 0
	for size < len(line) && size < 10 && digit(line[size]) {
		size++
	}
	rest := line[size:]
	if size == 0 || size > 9 || len(rest) < 2 || rest[0] != '.' || !blank(rest[1]) || util.IsBlank(rest[1:]) {
		return 0, false
	}
	start, err := strconv.Atoi(string(line[:size]))
	return start, err == nil
}

// itemParser nests by two blanks, whatever the length of the mark.
type itemParser struct{ parser.BlockParser }

// Open is part of [parser.BlockParser].
func (p itemParser) Open(parent ast.Node, reader text.Reader, pc parser.Context) (ast.Node, parser.State) {
	line, _ := reader.PeekLine()
	width, _ := util.IndentWidth(line, reader.LineOffset())
	node, state := p.BlockParser.Open(parent, reader, pc)
	if item, ok := node.(*ast.ListItem); ok {
		item.Offset = min(item.Offset, width+itemIndent)
	}
	return node, state
}
