package feed

import (
	"iter"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"chatserver.dev/pkg/lists"
	"chatserver.dev/pkg/narrow"
	"chatserver.dev/pkg/spelling"
)

// The tags around a match (rest-api.md, section 2.4.4).
const (
	hitStart = `<span class="highlight">`
	hitEnd   = `</span>`
)

// piece is a part of HTML: a word of text, text of a script without blanks, a tag, an entity, or other text.
type piece struct {
	text           string
	word, unspaced bool
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
	if end := span(html, narrow.Unspaced); end > 0 {
		return piece{text: html[:end], unspaced: true}
	}
	if end := span(html, func(r rune) bool { return narrow.InWord(r) && narrow.Spaced(r) }); end > 0 {
		return piece{text: html[:end], word: true}
	}
	_, size := utf8.DecodeRuneInString(html)
	return piece{text: html[:size]}
}

// span returns the length of the beginning of a text whose characters are all in a class.
func span(text string, in func(rune) bool) int {
	end := strings.IndexFunc(text, func(r rune) bool { return !in(r) })
	if end < 0 {
		return len(text)
	}
	return end
}

// wordsOf returns the words of a search as pieces has those of HTML: PostgreSQL would take an address or 3.14 for one word. parts are
// those in scripts without blanks. The words are those of [narrow.Plain].
func wordsOf(searched string) (words string, parts []string) {
	all := []string(nil)
	for text := range strings.FieldsFuncSeq(spelling.Compose(searched), func(r rune) bool { return !narrow.InWord(r) }) {
		for text != "" {
			if end := span(text, narrow.Unspaced); end > 0 {
				parts, text = append(parts, text[:end]), text[end:]
				continue
			}
			end := span(text, narrow.Spaced)
			all, text = append(all, text[:end]), text[end:]
		}
	}
	return narrow.Plain(strings.Join(all, " ")), parts
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

// collectWords adds the words of HTML to a set, in the form of [narrow.Plain].
func collectWords(html string, words map[string]bool) {
	for p := range pieces(html) {
		if p.word {
			words[narrow.Plain(spelling.Compose(p.text))] = true
		}
	}
}

// Limits of highlighting.
const (
	maxHits  = 100 // in a text; each takes 31 bytes
	maxParts = 20  // of a search, in scripts without blanks, that are looked for
)

// hits are what to highlight: words in the form of [narrow.Plain], and parts of texts in scripts without blanks, the longest first.
type hits struct {
	words map[string]bool
	parts []string
}

func hitsOf(words, parts []string) hits {
	parts = parts[:min(len(parts), maxParts)]
	slices.SortFunc(parts, func(a, b string) int { return len(b) - len(a) })
	return hits{words: lists.Set(words), parts: parts}
}

// at returns the part at the beginning of a text; empty: none.
func (h hits) at(text string) string {
	for _, part := range h.parts {
		if strings.HasPrefix(text, part) {
			return part
		}
	}
	return ""
}

// mark highlights the first [maxHits] hits in HTML.
func mark(html string, hit hits) string {
	out, found := strings.Builder{}, 0
	highlight := func(text string) {
		if found++; found > maxHits {
			out.WriteString(text)
		} else {
			out.WriteString(hitStart + text + hitEnd)
		}
	}
	for p := range pieces(html) {
		switch {
		case p.word && hit.words[narrow.Plain(spelling.Compose(p.text))]:
			highlight(p.text)
		case p.unspaced:
			for text := p.text; text != ""; {
				part := hit.at(text)
				if part == "" {
					_, size := utf8.DecodeRuneInString(text)
					part = text[:size]
					out.WriteString(part)
				} else {
					highlight(part)
				}
				text = text[len(part):]
			}
		default:
			out.WriteString(p.text)
		}
	}
	return out.String()
}

// escape returns plain text as HTML.
func escape(text string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "'", "&#39;").Replace(text)
}
