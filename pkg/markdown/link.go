package markdown

import "strings"

// maxLinkText is the longest text of a named link, in bytes.
const maxLinkText = 1000

// maxBrackets is how deeply brackets may be nested in the text of a link.
const maxBrackets = 10

// link is a link that has been written.
type link struct {
	href  string
	text  string // empty: the address itself
	alone bool   // the block has nothing else
}

// namedLink reads `[text](url "title")` (rest-api.md, section 7.4). The text can't contain links.
func (s *scanner) namedLink(i int) int {
	if s.inLink {
		return 0
	}
	closing := s.bracketEnd(i)
	if closing == 0 || closing+1 >= s.end || s.text[closing+1] != '(' {
		return 0
	}
	t, ok := s.readTarget(closing + 2)
	if !ok {
		return 0
	}
	href, ok := s.p.href(t.url)
	if !ok {
		return 0
	}
	next := t.next
	s.take(i, next)
	p := s.p
	p.write("<a")
	p.attribute("href", href)
	if t.title != "" {
		p.attribute("title", t.title)
	}
	p.write(">")
	label := strings.TrimSpace(s.text[i+1 : closing])
	if label == "" {
		p.verbatim(href)
	} else {
		s.nested(i+1, closing, true)
	}
	p.write("</a>")
	l := link{href: href, text: label}
	if label == "" || label == t.url {
		l = link{href: href, alone: s.whole(i, next)}
	}
	p.found(l)
	return next
}

// bracketEnd returns the offset of the bracket that closes the one at i, or 0.
func (s *scanner) bracketEnd(i int) int {
	depth := 0
	for j := i; j < s.end && j-i < maxLinkText; j++ {
		switch s.text[j] {
		case '`':
			j = max(s.codeEnd(j), j+runLength(s.text[j:s.end], '`')) - 1
		case '[':
			if depth++; depth > maxBrackets {
				return 0
			}
		case ']':
			if depth--; depth == 0 {
				return j
			}
		}
	}
	return 0
}

// target is the contents of the parentheses of a link.
type target struct {
	url, title string
	next       int // the offset after the closing parenthesis
}

// readTarget reads the rest of a link; from is after its opening parenthesis.
func (s *scanner) readTarget(from int) (target, bool) {
	limit := min(s.end, from+maxURL)
	i := skipBlanks(s.text[:limit], from)
	var t target
	if i < limit && s.text[i] == '<' {
		closing := s.angleEnd(i)
		if closing >= limit || s.text[closing] != '>' {
			return t, false
		}
		t.url = s.text[i+1 : closing]
		i = closing + 1
	} else {
		n, ok := addressSize(s.text[i:limit])
		if !ok {
			return t, false
		}
		t.url = s.text[i : i+n]
		i += n
	}
	after := skipBlanks(s.text[:limit], i)
	if after > i && after < limit && (s.text[after] == '"' || s.text[after] == '\'') {
		closing := s.titleEnd(after+1, s.text[after])
		if closing+1 >= limit {
			return t, false
		}
		t.title = s.text[after+1 : closing]
		after = closing + 1
	}
	if after >= limit || s.text[after] != ')' {
		return t, false
	}
	t.next = after + 1
	return t, true
}

// addressSize returns the size of the URL at the start of s, which ends before a blank or before
// the parenthesis that closes the link. It reports false if parentheses are nested too deep, which bounds
// the time for parentheses that are never closed.
func addressSize(s string) (int, bool) {
	depth := 0
	for i := range len(s) {
		switch c := s[i]; {
		case blank(c):
			return i, true
		case c == '(':
			if depth++; depth > maxParentheses {
				return 0, false
			}
		case c == ')':
			if depth == 0 {
				return i, true
			}
			depth--
		}
	}
	return len(s), true
}

func skipBlanks(s string, i int) int {
	for i < len(s) && blank(s[i]) {
		i++
	}
	return i
}
