package markdown

import (
	"context"

	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// watchEvery is the number of steps between two checks of the context. A step is a line while blocks
// are parsed, and a block or a byte while HTML is written. Each takes at most some microseconds.
const watchEvery = 256

// watch ends the rendering of one text when its context ends.
type watch struct {
	ctx   context.Context //nolint:containedctx // it lives for one call of Render, below methods that goldmark calls
	steps int
	ended bool
}

// over reports whether the context has ended. It is cheap, since it checks only every watchEvery steps.
func (w *watch) over() bool {
	if w.steps++; w.steps%watchEvery == 0 && w.ctx.Err() != nil {
		w.ended = true
	}
	return w.ended
}

// reader reads a text line by line. When the context ends, it reports the end of the text.
type reader struct {
	text.Reader
	*watch
	blocks parser.Context
}

// AdvanceLine is part of [text.Reader]. Outside of code, it skips all but the first and the last of consecutive
// blank lines, since goldmark stores each of them for every open block.
func (r *reader) AdvanceLine() {
	r.Reader.AdvanceLine()
	if r.over() {
		line, _ := r.Position()
		end := len(r.Source())
		r.SetPosition(line, text.NewSegment(end, end))
	}
	for r.betweenBlanks() {
		r.Reader.AdvanceLine()
	}
}

// betweenBlanks reports whether this line and the next are blank and don't belong to code.
func (r *reader) betweenBlanks() bool {
	line, at := r.PeekLine()
	if line == nil || !util.IsBlank(line) {
		return false
	}
	next := at.Stop
	for source := r.Source(); ; next++ {
		if next >= len(source) {
			return false
		} else if source[next] == '\n' {
			break
		} else if !blank(source[next]) {
			return false
		}
	}
	last := r.blocks.LastOpenedBlock().Node
	return last == nil || !last.IsRaw()
}
