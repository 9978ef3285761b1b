// Package spelling brings names of streams, topics, groups and people into the form in which they are stored and compared, so that names
// that look the same are the same, whatever keyboard or file system they come from.
package spelling

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Clean returns a text without white space around it, in the form of [Compose].
func Clean(typed string) string { return strings.TrimSpace(Compose(typed)) }

// Name returns the name of a stream, a topic, a group or a profile field as [Clean] does, as one line: line breaks and
// tabs become blanks, as which clients show them. Migration 00066 does the same.
func Name(typed string) string { return strings.TrimSpace(oneLine.Replace(Compose(typed))) }

//nolint:gochecknoglobals // a constant table
var oneLine = strings.NewReplacer(
	"\r\n", " ", "\n", " ", "\r", " ", "\t", " ", "\v", " ", "\f", " ", "\u0085", " ", "\u2028", " ", "\u2029", " ",
)

// IsBlank reports whether a reader sees nothing of a name: it is empty, or consists of white space and invisible characters. U+0000 isn't
// among these, since names with it have an error of their own.
func IsBlank(name string) bool {
	return !strings.ContainsFunc(name, func(r rune) bool { return !IsInvisible(r) && !unicode.In(r, unicode.White_Space, unicode.Z) })
}

// IsInvisible reports whether a character has no width of its own, or is a letter or symbol that looks like a blank. Some of these characters
// are of use inside words and emoji.
func IsInvisible(r rune) bool {
	return r == brailleBlank || r != 0 &&
		unicode.In(r, unicode.Cc, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

const brailleBlank = '\u2800'

// Compose returns a text with composed letters (Unicode's NFC): é is one character, not an e and an accent.
func Compose(typed string) string { return norm.NFC.String(typed) }

// Plain returns a text without the accents of its letters, composed, as searches compare words: naïve is naive, Müller Muller, ёлка елка.
// й is a letter of its own, and a final ς is σ. The function index_words in pkg/store/migration does the same.
func Plain(text string) string {
	if isASCII(text) {
		return text
	}
	plain, before := strings.Builder{}, rune(0)
	for _, r := range norm.NFD.String(text) {
		switch other, ok := others[r]; {
		case ok:
			plain.WriteString(other)
		case !isAccent(r) || before == 'и' || before == 'И':
			plain.WriteRune(r)
		}
		before = r
	}
	return norm.NFC.String(plain.String())
}

// isAccent reports whether a character is a mark above, below or through a letter of Latin, Greek or Cyrillic script.
func isAccent(r rune) bool { return r >= 0x0300 && r <= 0x036F }

func isASCII(text string) bool {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// others are letters that Unicode doesn't compose of a letter and an accent.
//
//nolint:gochecknoglobals // a constant table
var others = map[rune]string{
	'ø': "o", 'Ø': "O", 'ł': "l", 'Ł': "L", 'đ': "d", 'Đ': "D", 'ħ': "h", 'Ħ': "H", 'ð': "d", 'Ð': "D", 'ı': "i", 'ς': "σ",
	'ß': "ss", 'ẞ': "SS", 'æ': "ae", 'Æ': "AE", 'œ': "oe", 'Œ': "OE",
}
