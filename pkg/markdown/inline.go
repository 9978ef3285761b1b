package markdown

import "strings"

// maxInlineNesting is how deeply emphasis, deletions and links may be nested. Deeper marks are text.
const maxInlineNesting = 10

// scanner reads a range of the text of one block from left to right and writes its HTML.
type scanner struct {
	p          *page
	text       string
	start, end int // the range
	done       int // text before this offset has been written
	depth      int
	inLink     bool
	matches    []match // of linkifiers, by position

	line, word, angle ahead
	title             [2]ahead // in double and in single quotation marks
	noDomain          int      // before this offset, no dot is in a domain name that is a link

	noStrong int                     // before this offset, no strong text begins, because no mark closes it
	noCode   [MaxBackquotes + 1]bool // by length: no further mark closes code
}

// inline writes the text of a block.
func (p *page) inline(text string) {
	s := scanner{p: p, text: text, end: len(text)}
	if len(p.in.Linkifiers) > 0 {
		s.matches = findMatches(text, p.in.Linkifiers, &p.searching)
	}
	s.run()
}

// nested writes a range inside of s.
func (s *scanner) nested(start, end int, inLink bool) {
	inner := scanner{
		p: s.p, text: s.text, start: start, end: end, done: start,
		depth: s.depth + 1, inLink: s.inLink || inLink, matches: s.matches,
	}
	if inner.depth > maxInlineNesting {
		inner.flush(end)
		return
	}
	inner.run()
}

func (s *scanner) run() {
	for i := s.start; i < s.end && !s.p.stopped(); {
		next := 0
		if len(s.matches) > 0 {
			next = s.linkify(i)
		}
		if next == 0 && special(s.text[i]) {
			next = s.construct(i)
		}
		i = max(next, i+1)
	}
	s.flush(s.end)
}

// special reports whether a construct can begin with a byte. For characters beyond ASCII, these are the first bytes of
// the emoji blocks.
func special(c byte) bool {
	switch c {
	case '*', '`', '~', '[', '$', '<', ':', '@', '#', '.', '(', ';', '\n', 0xe2, 0xe3, 0xf0:
		return true
	}
	return false
}

// construct writes the construct that begins at i, or extends back from there. It returns the offset after it,
// or 0 if there is only text.
func (s *scanner) construct(i int) int {
	switch s.text[i] {
	case '*':
		return s.emphasis(i)
	case '`':
		return s.codeSpan(i)
	case '~':
		return s.deletion(i)
	case '[':
		return s.namedLink(i)
	case '$':
		return s.math(i)
	case '<':
		return first(i, s.timeTag, s.emoticon)
	case ':':
		return first(i, s.bareURL, s.emojiName, s.emoticon)
	case '(', ';':
		return s.emoticon(i)
	case '@':
		return first(i, s.mention, s.email)
	case '#':
		return s.streamLink(i)
	case '.':
		return s.bareDomain(i)
	case '\n':
		return s.lineBreak(i)
	default:
		return s.emojiCharacter(i)
	}
}

// first calls readers until one of them has written a construct, and returns its result; 0: none has.
func first(i int, readers ...func(int) int) int {
	for _, read := range readers {
		if next := read(i); next > 0 {
			return next
		}
	}
	return 0
}

// flush writes the pending text before i.
func (s *scanner) flush(i int) {
	if i > s.done {
		s.p.text(s.text[s.done:i])
		s.done = i
	}
}

// take writes the pending text before start and marks all text before next as written.
func (s *scanner) take(start, next int) {
	s.flush(start)
	s.done = next
}

// element writes text between tags in place of the source from i to next. It returns next.
func (s *scanner) element(i, next int, open, text, closing string) int {
	s.take(i, next)
	s.p.write(open)
	s.p.verbatim(text)
	s.p.write(closing)
	return next
}

// anchor writes the source from i to next as a link. It returns next.
func (s *scanner) anchor(i, next int, l link) int {
	s.take(i, next)
	s.p.write("<a")
	s.p.attribute("href", l.href)
	s.p.write(">")
	s.p.verbatim(s.text[i:next])
	s.p.write("</a>")
	s.p.found(l)
	return next
}

// opens reports whether a mention or link may begin at i: at the start, or after a blank or certain
// signs (rest-api.md, section 7.5).
func (s *scanner) opens(i int) bool {
	return i == s.start || blank(s.text[i-1]) || strings.IndexByte(`'"(,:<`, s.text[i-1]) >= 0
}

func (s *scanner) lineBreak(i int) int {
	trimmed := i
	for trimmed > s.done && blank(s.text[trimmed-1]) {
		trimmed--
	}
	next := i + 1
	for next < s.end && s.text[next] != '\n' && blank(s.text[next]) {
		next++
	}
	s.take(trimmed, next)
	s.p.write("<br>\n")
	return next
}
