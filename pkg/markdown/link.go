package markdown

import "strings"

// maxLinkText is the longest text of a named link, in bytes.
const maxLinkText = 1000

// maxBrackets is how deep brackets may be nested in the text of a link.
const maxBrackets = 10

// link is a link that has been written.
type link struct {
	href  string
	title string // the text, if it is not the address itself
	alone bool   // the block has nothing else
}

// namedLink reads `[text](url "title")` (rest-api.md, section 7.4). Its text has no links.
func (s *scanner) namedLink(i int) int {
	if s.inLink {
		return 0
	}
	shut := s.bracketEnd(i)
	if shut == 0 || shut+1 >= s.end || s.text[shut+1] != '(' {
		return 0
	}
	t, ok := readTarget(s.text[shut+2 : s.end])
	if !ok {
		return 0
	}
	href, ok := s.p.href(t.url)
	if !ok {
		return 0
	}
	next := shut + 2 + t.size
	s.take(i, next)
	p := s.p
	p.write("<a")
	p.attribute("href", href)
	if t.title != "" {
		p.attribute("title", t.title)
	}
	p.write(">")
	label := strings.TrimSpace(s.text[i+1 : shut])
	if label == "" {
		p.verbatim(href)
	} else {
		s.nested(i+1, shut, true)
	}
	p.write("</a>")
	l := link{href: href, title: label}
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
		case '\\':
			j++
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

// target is what stands between the parentheses of a link.
type target struct {
	url, title string
	size       int // with the closing parenthesis
}

// readTarget reads the rest of a link after its opening parenthesis.
func readTarget(s string) (target, bool) {
	s = s[:min(len(s), maxURL)]
	i := skipBlanks(s, 0)
	var t target
	if strings.HasPrefix(s[i:], "<") {
		n := strings.IndexAny(s[i:], ">\n")
		if n < 0 || s[i+n] != '>' {
			return t, false
		}
		t.url = s[i+1 : i+n]
		i += n + 1
	} else {
		n := urlSize(s[i:])
		t.url = s[i : i+n]
		i += n
	}
	after := skipBlanks(s, i)
	if after > i && after < len(s) && (s[after] == '"' || s[after] == '\'') {
		n := strings.Index(s[after+1:], s[after:after+1]+")")
		if n < 0 {
			return t, false
		}
		t.title = s[after+1 : after+1+n]
		after += n + 2
	}
	if after >= len(s) || s[after] != ')' {
		return t, false
	}
	t.size = after + 1
	return t, true
}

// urlSize returns the size of the address at the start of s, which ends before a blank or before
// the parenthesis that closes the link.
func urlSize(s string) int {
	depth := 0
	for i := range len(s) {
		switch c := s[i]; {
		case blank(c):
			return i
		case c == '(':
			depth++
		case c == ')':
			if depth == 0 {
				return i
			}
			depth--
		}
	}
	return len(s)
}

func skipBlanks(s string, i int) int {
	for i < len(s) && blank(s[i]) {
		i++
	}
	return i
}
