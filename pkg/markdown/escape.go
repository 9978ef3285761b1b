package markdown

import "strings"

// text writes typed text, escaped except for entities (rest-api.md, section 7.2).
func (p *page) text(s string) { p.escape(s, true, false) }

// verbatim writes literal text, such as code.
func (p *page) verbatim(s string) { p.escape(s, false, false) }

// attribute writes name="value" with a blank before it.
func (p *page) attribute(name, value string) {
	p.write(" ", name, `="`)
	p.escape(value, false, true)
	p.write(`"`)
}

func (p *page) escape(s string, keepEntities, inAttribute bool) {
	done := 0
	for i := 0; i < len(s); i++ {
		var escaped string
		switch s[i] {
		case '&':
			if n := entity(s[i:]); keepEntities && n > 0 {
				i += n - 1
				continue
			}
			escaped = "&amp;"
		case '<':
			escaped = "&lt;"
		case '>':
			escaped = "&gt;"
		case '"':
			if !inAttribute {
				continue
			}
			escaped = "&quot;"
		default:
			continue
		}
		p.write(s[done:i], escaped)
		done = i + 1
	}
	p.write(s[done:])
}

// entity returns the length of the character reference at the start of s, or 0.
func entity(s string) int {
	i := 1
	inside := alphanumeric
	if strings.HasPrefix(s, "&#x") || strings.HasPrefix(s, "&#X") {
		i, inside = 3, hexDigit
	} else if strings.HasPrefix(s, "&#") {
		i, inside = 2, digit
	}
	start := i
	for i < len(s) && i-start < 32 && inside(s[i]) {
		i++
	}
	if i == start || i == len(s) || s[i] != ';' {
		return 0
	}
	return i + 1
}

func digit(c byte) bool { return c >= '0' && c <= '9' }

func hexDigit(c byte) bool {
	return digit(c) || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}

func alphanumeric(c byte) bool {
	return digit(c) || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

func blank(c byte) bool {
	return c == ' ' || c == '\t' || c == '\n' || c == '\v' || c == '\f'
}
