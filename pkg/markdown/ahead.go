package markdown

import "strings"

// ahead remembers where the next of something is, so that a text in which many places ask for it is
// searched once. The zero value knows nothing.
type ahead struct {
	from, to int // places from <= i < to have the same answer
	at       int
}

// find returns the place that search returns for i, which is the first of its kind from i on.
func (a *ahead) find(i int, search func(from int) int) int {
	if i < a.from || i >= a.to {
		at := search(i)
		*a = ahead{from: i, to: at + 1, at: at}
	}
	return a.at
}

// lineEnd returns the offset of the end of the line that i is in.
func (s *scanner) lineEnd(i int) int {
	return s.line.find(i, func(from int) int {
		if n := strings.IndexByte(s.text[from:s.end], '\n'); n >= 0 {
			return from + n
		}
		return s.end
	})
}

// wordEnd returns the offset of the first byte from i on that no address contains.
func (s *scanner) wordEnd(i int) int {
	return s.word.find(i, func(from int) int {
		for from < s.end && urlByte(s.text[from]) {
			from++
		}
		return from
	})
}

// titleEnd returns the offset of the first quotation mark from i on that a closing parenthesis
// follows, or the end.
func (s *scanner) titleEnd(i int, mark byte) int {
	which := 0
	if mark == '\'' {
		which = 1
	}
	return s.title[which].find(i, func(from int) int {
		if n := strings.Index(s.text[from:s.end], string(mark)+")"); n >= 0 {
			return from + n
		}
		return s.end
	})
}

// angleEnd returns the offset of the first `>` or line feed from i on, or the end.
func (s *scanner) angleEnd(i int) int {
	return s.angle.find(i, func(from int) int {
		if n := strings.IndexAny(s.text[from:s.end], ">\n"); n >= 0 {
			return from + n
		}
		return s.end
	})
}
