package markdown

import "strings"

// math reads `$$tex$$` in one line (rest-api.md, section 7.4). Clients typeset TeX: the
// HTML contains the source, as an annotation and as text for clients that can't typeset it.
func (s *scanner) math(i int) int {
	run := runLength(s.text[i:s.end], '$')
	if run != 2 {
		return i + run
	}
	end := s.lineEnd(i)
	start := i + 2
	if start >= end || s.text[start] == '_' || i > s.start && wordByte(s.text[i-1]) {
		return start
	}
	stop := mathEnd(s.text[start:end])
	next := start + stop + 2
	if stop <= 0 || next < s.end && (s.text[next] == '$' || wordByte(s.text[next])) {
		return start
	}
	s.take(i, next)
	s.p.tex(s.text[start : start+stop])
	return next
}

// mathEnd returns the offset of the next two dollar signs, or 0. A single one needs a backslash.
func mathEnd(s string) int {
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '\\':
			i++
		case s[i] == '$' && strings.HasPrefix(s[i:], "$$"):
			return i
		case s[i] == '$':
			return 0
		}
	}
	return 0
}

func (p *page) tex(source string) {
	p.write(`<span class="katex"><span class="katex-mathml"><math xmlns="http://www.w3.org/1998/Math/MathML">`,
		`<semantics><annotation encoding="application/x-tex">`)
	p.verbatim(source)
	p.write(`</annotation></semantics></math></span><span aria-hidden="true" class="katex-html">`)
	p.verbatim(source)
	p.write(`</span></span>`)
}

// displayMath writes a math fence, with a separate formula for each paragraph.
func (p *page) displayMath(source string) {
	p.write("<p>")
	separator := ""
	for tex := range strings.SplitSeq(source, "\n\n") {
		if tex = strings.TrimSpace(tex); tex == "" {
			continue
		}
		p.write(separator, `<span class="katex-display">`)
		p.tex(tex)
		p.write(`</span>`)
		separator = "\n\n"
	}
	p.write("</p>")
}

func wordByte(c byte) bool { return alphanumeric(c) || c == '_' || c >= 0x80 }
