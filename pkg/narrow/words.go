package narrow

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"chatserver.dev/pkg/spelling"
)

// Searched divides the text of a search into words, as messages are indexed (index_words in pkg/store/migration), and texts that
// messages must also contain literally: what is in double quotes (rest-api.md, section 2.4.4), and addresses, names of files and
// the like, which are several words. A double quote without a second one has no effect.
func Searched(text string) (words string, literally []string) {
	text = spelling.Compose(text)
	parts := scheme.ReplaceAllString(text, " ")
	return separated(parts), slices.Concat(quoted(text), joined(parts))
}

// scheme is the beginning of an address that may be missing in a message.
var scheme = regexp.MustCompile(`(?i)\b(https?|ftp)://`)

// separated replaces angle brackets, and the signs that join words, by blanks. PostgreSQL would take <String> for a tag, of which it
// finds nothing, and an address or yes/no for one word. Versions and decimal numbers are words.
func separated(text string) string {
	digit := func(at int) bool { return at >= 0 && at < len(text) && text[at] >= '0' && text[at] <= '9' }
	words := []byte(text)
	for i, c := range words {
		if c == '<' || c == '>' || strings.IndexByte("./@", c) >= 0 && (!digit(i-1) || !digit(i+1)) {
			words[i] = ' '
		}
	}
	return string(words)
}

// quoted returns the parts of a text in double quotes, except blank ones.
func quoted(text string) (parts []string) {
	for split := strings.Split(text, `"`); len(split) > 2; split = split[2:] {
		if strings.TrimSpace(split[1]) != "" {
			parts = append(parts, split[1])
		}
	}
	return parts
}

// joined returns the parts of a text that [separated] makes several words of.
func joined(text string) (parts []string) {
	for part := range strings.FieldsFuncSeq(text, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune("\"'`()[]{}<>,;!|*", r) }) {
		part = strings.TrimFunc(part, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) })
		if separated(part) != part {
			parts = append(parts, part)
		}
	}
	return parts
}
