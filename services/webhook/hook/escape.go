package hook

import (
	"regexp"
	"strings"
	"unicode"
)

// Our Markdown has no backslash escapes. A character that must not have a meaning is written as its HTML
// entity: readers see the character, and the parser doesn't.

// always are characters that begin or end a construct wherever they are.
//
//nolint:gochecknoglobals // a constant table.
var always = strings.NewReplacer(
	"*", "&#42;", "`", "&#96;", "~", "&#126;", "[", "&#91;", "]", "&#93;", "$", "&#36;", "|", "&#124;", `\`, "&#92;", "<", "&lt;", ">", "&gt;",
)

var (
	// emojiName is the colon that begins the name of an emoji.
	emojiName = regexp.MustCompile(`:([-+._0-9A-Za-z]+):`)
	// entityStart is an ampersand that could begin an entity.
	entityStart = regexp.MustCompile(`&([#0-9A-Za-z])`)
	// blockStart begins a heading, a list or a rule where it is the first word of a line.
	blockStart = regexp.MustCompile(`^(#+|[-+]|-{2,}|_+|=+|[0-9]+[.)])$|^-{3}|^_{3}`)
	// sigil matches the beginning of a mention or of a link to a stream, if stars follow.
	sigil = regexp.MustCompile(`([@#])(_?)$`)
	// address is a web address without any character that has a meaning in Markdown.
	address = regexp.MustCompile(`^https?://[-.0-9A-Za-z]+(:[0-9]+)?([/?#][-._/?#&=%+:,;@!0-9A-Za-z]*)?$`)
)

// action is the first word of a message about what its sender does. Readers don't see the word.
const action = "/me"

// maxAddress is the maximum length of an address that becomes a link, in bytes.
const maxAddress = 1000

func isAddress(word string) bool { return len(word) <= maxAddress && address.MatchString(word) }

// escape returns a word without any meaning in Markdown. first and last report where in its text the word is.
func escape(word string, first, last bool) string {
	block, written := first && blockStart.MatchString(word), word
	word = entityStart.ReplaceAllString(word, "&amp;$1")
	if last {
		word = sigil.ReplaceAllStringFunc(word, func(s string) string { return entity(s[0]) + s[1:] })
	}
	word = emojiName.ReplaceAllString(word, "&#58;$1&#58;")
	if word = always.Replace(word); word != written { // it must not become a link, in which readers would see the entity
		word = strings.ReplaceAll(strings.ReplaceAll(word, "://", "&#58;//"), "/", "&#47;")
		if strings.ContainsAny(written, "#?") { // what follows these belongs to the address
			word = strings.ReplaceAll(word, ".", "&#46;")
		}
	}
	if first && word == action {
		return entity('/') + word[1:]
	}
	if block && !strings.HasPrefix(word, "&") {
		end := len(word) - 1
		if c := word[0]; c >= '0' && c <= '9' { // the character after a number makes the line an item
			return word[:end] + entity(word[end])
		}
		return entity(word[0]) + word[1:]
	}
	return word
}

// entity returns the HTML entity of an ASCII character.
func entity(c byte) string {
	return "&#" + strings.TrimLeft(string([]byte{'0' + c/100, '0' + c/10%10, '0' + c%10}), "0") + ";"
}

// encode returns an address without characters that could end its link.
func encode(address string) string {
	encoded := strings.Builder{}
	for i := range len(address) {
		switch c := address[i]; {
		case c <= ' ' || c == 0x7f || strings.IndexByte("()<>[]*`~$|\\\"'@", c) >= 0:
			const digits = "0123456789ABCDEF"
			encoded.Write([]byte{'%', digits[c>>4], digits[c&15]})
		default:
			encoded.WriteByte(c)
		}
	}
	return encoded.String()
}

// printable removes invisible characters, except white space.
func printable(written string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && !unicode.IsSpace(r) || unicode.Is(unicode.Bidi_Control, r) {
			return -1
		}
		return r
	}, written)
}

// Line returns a text as one line without invisible characters, for example for a topic.
func Line(written string) string { return strings.Join(strings.Fields(printable(written)), " ") }
