package narrow

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"chatserver.dev/pkg/lists"
	"chatserver.dev/pkg/spelling"
)

// Searched divides the text of a search into words, as messages are indexed (index_words in pkg/store/migration), and texts that
// messages must also contain literally: what is in double quotes (rest-api.md, section 2.4.4), and addresses, names of files and
// the like, which are several words. A double quote without a second one has no effect. The words are those of [Plain].
func Searched(text string) (words string, literally []string) {
	text = spelling.Compose(text)
	parts := scheme.ReplaceAllString(text, " ")
	return Plain(separated(parts)), slices.Concat(quoted(text), joined(parts))
}

// scheme is the beginning of an address that may be missing in a message.
var scheme = regexp.MustCompile(`(?i)\b(https?|ftp)://`)

// separated divides a text into words by blanks. It replaces angle brackets, and the signs that join words: PostgreSQL would take
// <String> for a tag, of which it finds nothing, an address or yes/no for one word, and ABC-123 for ABC and a negative number. Versions
// and decimal numbers are words, also after letters, and so is each letter of a script without blanks.
func separated(text string) string {
	words := strings.Builder{}
	for _, r := range text {
		if Unspaced(r) {
			words.WriteString(" " + string(r) + " ")
		} else {
			words.WriteRune(r)
		}
	}
	return numbers.ReplaceAllString(unjoined(words.String()), "$1 $2$3")
}

// numbers matches numbers that follow letters.
var numbers = regexp.MustCompile(`([A-Za-z])(?:-([0-9])|([0-9]+\.[0-9]))`)

// unjoined replaces by blanks angle brackets, and dots and the like that aren't between digits.
func unjoined(text string) string {
	digit := func(at int) bool { return at >= 0 && at < len(text) && text[at] >= '0' && text[at] <= '9' }
	words := []byte(text)
	for i, c := range words {
		if c == '<' || c == '>' || strings.IndexByte("./@", c) >= 0 && (!digit(i-1) || !digit(i+1)) {
			words[i] = ' '
		}
	}
	return string(words)
}

// Unspaced reports whether a letter is of a script that puts no blanks between words: of Thai, Lao, Tibetan, Burmese, Khmer, Japanese or
// Chinese.
func Unspaced(r rune) bool {
	return r >= 0x0E00 && unicode.Is(unspaced, r)
}

// Spaced is the opposite of [Unspaced].
func Spaced(r rune) bool { return !Unspaced(r) }

//nolint:gochecknoglobals // a value that doesn't change
var unspaced = &unicode.RangeTable{
	R16: []unicode.Range16{
		{0x0E00, 0x109F, 1},
		{0x1780, 0x17FF, 1},
		{0x3005, 0x3007, 1},
		{0x3041, 0x30FA, 1},
		{0x30FC, 0x30FF, 1},
		{0x31F0, 0x31FF, 1},
		{0x3400, 0x4DBF, 1},
		{0x4E00, 0x9FFF, 1},
		{0xF900, 0xFAFF, 1},
		{0xFF66, 0xFF9F, 1},
	},
	R32: []unicode.Range32{{0x20000, 0x3FFFF, 1}},
}

// Plain returns a text whose words have no accents, see [spelling.Plain], except those that would become stop words: thé isn't the.
func Plain(text string) string {
	plain := strings.Builder{}
	for text != "" {
		end := strings.IndexFunc(text, func(r rune) bool { return !InWord(r) })
		if end < 0 {
			end = len(text)
		}
		if end == 0 {
			_, end = utf8.DecodeRuneInString(text)
		}
		word := spelling.Plain(text[:end])
		if word != text[:end] && stopWords[strings.ToLower(word)] {
			word = text[:end]
		}
		plain.WriteString(word)
		text = text[end:]
	}
	return plain.String()
}

// InWord reports whether a character is part of a word: a letter, a digit or a mark on one.
func InWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) }

//nolint:gochecknoglobals // a value that doesn't change
var stopWords = lists.Set(StopWords())

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
	for part := range strings.FieldsFuncSeq(text, between) {
		part = strings.TrimFunc(part, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) })
		if strings.TrimSpace(separated(part)) != part {
			parts = append(parts, part)
		}
	}
	return parts
}

// between reports whether a character is between the parts of a text that belong together.
func between(r rune) bool {
	return unicode.IsSpace(r) || strings.ContainsRune("\"'`()[]{}<>,;!|*", r) || r > unicode.MaxASCII && (unicode.IsPunct(r) || unicode.IsSymbol(r))
}
