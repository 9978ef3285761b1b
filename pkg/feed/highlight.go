package feed

import (
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"
)

// What stands around a hit (rest-api.md, section 2.4.4).
const (
	hitStart = `<span class="highlight">`
	hitEnd   = `</span>`
)

// piece is a part of HTML: a word of a text, or anything else, with tags and entities in one piece.
type piece struct {
	text string
	word bool
}

// pieces cuts HTML, so that joined in order they are the HTML again.
func pieces(html string) iter.Seq[piece] {
	return func(yield func(piece) bool) {
		for html != "" {
			p := next(html)
			if !yield(p) {
				return
			}
			html = html[len(p.text):]
		}
	}
}

func next(html string) piece {
	switch html[0] {
	case '<':
		return piece{text: html[:tagEnd(html)]}
	case '&':
		if end := strings.IndexByte(html, ';'); end > 0 && !strings.ContainsFunc(html[1:end], notInEntity) {
			return piece{text: html[:end+1]}
		}
		return piece{text: html[:1]}
	}
	end := 0
	for end < len(html) {
		r, size := utf8.DecodeRuneInString(html[end:])
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) {
			break
		}
		end += size
	}
	if end > 0 {
		return piece{text: html[:end], word: true}
	}
	_, size := utf8.DecodeRuneInString(html)
	return piece{text: html[:size]}
}

func notInEntity(r rune) bool { return r != '#' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }

// tagEnd is where the tag that html begins with is over; values of attributes may hold what ends a tag.
func tagEnd(html string) int {
	quote := byte(0)
	for i := 1; i < len(html); i++ {
		switch c := html[i]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '>':
			return i + 1
		}
	}
	return len(html)
}

// collectWords adds the words of HTML to a set.
func collectWords(html string, words map[string]bool) {
	for p := range pieces(html) {
		if p.word {
			words[p.text] = true
		}
	}
}

// mostHits is how many highlights a text has at most, which take 31 bytes each.
const mostHits = 100

// mark puts the words of HTML that are hits into highlights, the first of them.
func mark(html string, hit map[string]bool) string {
	out, hits := strings.Builder{}, 0
	for p := range pieces(html) {
		if p.word && hit[p.text] && hits < mostHits {
			hits++
			out.WriteString(hitStart + p.text + hitEnd)
		} else {
			out.WriteString(p.text)
		}
	}
	return out.String()
}

// escape makes HTML of plain text.
func escape(text string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "'", "&#39;").Replace(text)
}
