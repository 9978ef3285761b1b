package markdown

import (
	"strings"
	"unicode/utf8"
)

// ahead caches where something occurs next, so that a text is searched only once for many
// offsets. The zero value is an empty cache.
type ahead struct {
	from, to int // offsets from <= i < to have the same result
	at       int
}

// find returns the first offset from i on that search finds in s, or the end of s. search returns an offset in its
// argument, or a negative number if it finds nothing.
func (a *ahead) find(s *scanner, i int, search func(text string) int) int {
	if i < a.from || i >= a.to {
		at := s.end
		if n := search(s.text[i:s.end]); n >= 0 {
			at = i + n
		}
		*a = ahead{from: i, to: at + 1, at: at}
	}
	return a.at
}

// lineEnd returns the offset of the end of the line that i is in.
func (s *scanner) lineEnd(i int) int {
	return s.line.find(s, i, func(text string) int { return strings.IndexByte(text, '\n') })
}

// wordEnd returns the offset of the first byte from i on that can't be part of an address, or the end.
func (s *scanner) wordEnd(i int) int {
	return s.word.find(s, i, func(text string) int {
		return strings.IndexFunc(text, func(r rune) bool { return r < utf8.RuneSelf && !urlByte(byte(r)) })
	})
}

// titleEnd returns the offset of the first quotation mark from i on that is followed by a closing
// parenthesis, or the end.
func (s *scanner) titleEnd(i int, mark byte) int {
	which := 0
	if mark == '\'' {
		which = 1
	}
	return s.title[which].find(s, i, func(text string) int { return strings.Index(text, string(mark)+")") })
}

// angleEnd returns the offset of the first `>` or line feed from i on, or the end.
func (s *scanner) angleEnd(i int) int {
	return s.angle.find(s, i, func(text string) int { return strings.IndexAny(text, ">\n") })
}
