package feed

import (
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"

	"chatserver.dev/pkg/spelling"
)

// The tags around a match (rest-api.md, section 2.4.4).
const (
	hitStart = `<span class="highlight">`
	hitEnd   = `</span>`
)

// piece is a part of HTML: a word of text, a tag, an entity, or other text.
type piece struct {
	text string
	word bool
}

// pieces divides HTML into pieces. Joined in order, they are the HTML again.
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
		if !inWord(r) {
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

func inWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) }

// wordsOf returns the words of a search as pieces has those of HTML: PostgreSQL would take an address or 3.14 for one word.
func wordsOf(searched string) string {
	return strings.Join(strings.FieldsFunc(spelling.Compose(searched), func(r rune) bool { return !inWord(r) }), " ")
}

func notInEntity(r rune) bool { return r != '#' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }

// tagEnd returns the index after the tag at the beginning of html. Values of attributes may contain '>'.
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

// collectWords adds the words of HTML to a set, with composed letters.
func collectWords(html string, words map[string]bool) {
	for p := range pieces(html) {
		if p.word {
			words[spelling.Compose(p.text)] = true
		}
	}
}

// maxHits is the maximum number of highlights in a text. Each takes 31 bytes.
const maxHits = 100

// mark highlights the first [maxHits] words of HTML that are in hit, with composed letters.
func mark(html string, hit map[string]bool) string {
	out, hits := strings.Builder{}, 0
	for p := range pieces(html) {
		if p.word && hit[spelling.Compose(p.text)] && hits < maxHits {
			hits++
			out.WriteString(hitStart + p.text + hitEnd)
		} else {
			out.WriteString(p.text)
		}
	}
	return out.String()
}

// escape returns plain text as HTML.
func escape(text string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "'", "&#39;").Replace(text)
}
