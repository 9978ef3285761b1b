package markdown

import "strings"

// MaxBackquotes is the maximum length of the mark of a code span; a longer one is text.
const MaxBackquotes = 31

// emphasis reads `*em*`, `**strong**` and `***both***` (rest-api.md, section 7.4). They don't extend
// over lines.
func (s *scanner) emphasis(i int) int {
	end := s.lineEnd(i)
	run := runLength(s.text[i:min(end, i+3)], '*') // more than three count as three
	if run >= 3 {
		if stop := s.plainUntil(i+3, end, "***"); stop > 0 {
			return s.wrap(i, i+3, stop, stop+3, "<strong><em>", "</em></strong>")
		}
	}
	if run >= 2 {
		stop := s.strongEnd(i+2, end)
		if stop == 0 {
			return 0
		}
		return s.wrap(i, i+2, stop, stop+2, "<strong>", "</strong>")
	}
	stop := s.emEnd(i+1, end)
	if stop == 0 {
		return 0
	}
	return s.wrap(i, i+1, stop, stop+1, "<em>", "</em>")
}

// wrap writes the range between two marks, from outer to start and from stop to next. It returns next.
func (s *scanner) wrap(outer, start, stop, next int, open, closing string) int {
	s.take(outer, next)
	s.p.write(open)
	s.nested(start, stop, false)
	s.p.write(closing)
	return next
}

// plainUntil finds a closing mark of stars after text without stars and without blanks at the
// edges.
func (s *scanner) plainUntil(from, end int, mark string) int {
	n := strings.IndexByte(s.text[from:end], '*')
	stop := from + n
	if n <= 0 || !strings.HasPrefix(s.text[stop:end], mark) || blank(s.text[from]) || blank(s.text[stop-1]) {
		return 0
	}
	return stop
}

// strongEnd finds the two stars that close a strong text that begins at from.
func (s *scanner) strongEnd(from, end int) int {
	if from < s.noStrong {
		return 0
	}
	single := 0
	for j := from; j < end; j++ {
		switch s.text[j] {
		case '`':
			j = max(s.codeEnd(j), j+runLength(s.text[j:end], '`')) - 1
		case '*':
			run := runLength(s.text[j:end], '*')
			switch {
			case run == 1:
				single++
			case j == from: // no content yet
			case run == 3 && single%2 == 1:
				return j + 1 // the first closes an inner emphasis
			default:
				return j
			}
			j += run - 1
		}
	}
	s.noStrong = end
	return 0
}

// emEnd finds the star that closes an emphasis that begins at from. It may contain strong text.
func (s *scanner) emEnd(from, end int) int {
	if from >= end || blank(s.text[from]) {
		return 0
	}
	for j := from; j < end; j++ {
		switch s.text[j] {
		case '`':
			j = max(s.codeEnd(j), j+runLength(s.text[j:end], '`')) - 1
		case '*':
			run := runLength(s.text[j:end], '*')
			switch {
			case run == 1 && j > from && !blank(s.text[j-1]):
				return j
			case run == 1 || run > 3:
				return 0
			}
			stop := s.strongEnd(j+2, end)
			if stop == 0 {
				return 0
			}
			j = stop + 1
		}
	}
	return 0
}

// deletion reads `~~deleted~~`, with exactly two tildes.
func (s *scanner) deletion(i int) int {
	run := runLength(s.text[i:s.end], '~')
	if run != 2 {
		return i + run
	}
	end := s.lineEnd(i)
	n := strings.IndexByte(s.text[i+2:end], '~')
	stop := i + 2 + n
	if n <= 0 || runLength(s.text[stop:end], '~') != 2 {
		return i + run
	}
	return s.wrap(i, i+2, stop, stop+2, "<del>", "</del>")
}

// codeSpan reads text between two equal runs of backquotes.
func (s *scanner) codeSpan(i int) int {
	run := runLength(s.text[i:s.end], '`')
	next := s.codeEnd(i)
	if next == 0 {
		return i + run
	}
	return s.element(i, next, "<code>", s.text[i+run:next-run], "</code>")
}

// codeEnd returns the offset after the code span that begins at i, or 0.
func (s *scanner) codeEnd(i int) int {
	run := runLength(s.text[i:s.end], '`')
	if run > MaxBackquotes || s.noCode[run] {
		return 0
	}
	for j := i + run; j < s.end; {
		n := strings.IndexByte(s.text[j:s.end], '`')
		if n < 0 {
			break
		}
		j += n
		other := runLength(s.text[j:s.end], '`')
		j += other
		if other == run {
			return j
		}
	}
	s.noCode[run] = true
	return 0
}

func runLength(s string, c byte) int {
	n := 0
	for n < len(s) && s[n] == c {
		n++
	}
	return n
}
