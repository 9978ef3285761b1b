package hook

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Markdown is text that can be sent. It is made of the integration's own words by [Format], where what
// third parties wrote is escaped, or by the functions of this package. No string can be converted to it,
// so nothing that came in a payload is sent as Markdown by accident.
type Markdown struct{ text string }

// constant is a string that only a constant outside of this package can become.
type constant string

// String returns the Markdown.
func (m Markdown) String() string { return m.text }

// Empty reports whether there is no text.
func (m Markdown) Empty() bool { return m.text == "" }

// Format returns the integration's own words, a constant with the verbs %s and %d, with args in it. A
// Markdown is inserted as it is, a number as a number, everything else as [Text] shows it.
func Format(format constant, args ...any) Markdown {
	shown := make([]any, len(args))
	for i, arg := range args {
		switch value := arg.(type) {
		case Markdown:
			shown[i] = value.text
		case int, int64:
			shown[i] = value
		default:
			shown[i] = Text(fmt.Sprint(value)).text
		}
	}
	return Markdown{fmt.Sprintf(string(format), shown...)}
}

// Join returns the parts that aren't empty with a separator of the integration's own between them.
func Join(separator constant, parts ...Markdown) Markdown {
	texts := []string(nil)
	for _, part := range parts {
		if !part.Empty() {
			texts = append(texts, part.text)
		}
	}
	return Markdown{strings.Join(texts, string(separator))}
}

// Text shows what somebody wrote as it is, in one line: nothing in it is Markdown, but addresses of pages
// become links.
func Text(written string) Markdown {
	words := strings.Fields(printable(written))
	for i, word := range words {
		if !isAddress(word) {
			words[i] = escape(word, i == 0, i == len(words)-1)
		}
	}
	return Markdown{strings.Join(words, " ")}
}

// Link is a link to the address of a page with a text; where address is none, only the text.
func Link(text, address string) Markdown {
	shown := Text(text)
	address = strings.TrimSpace(address)
	if !IsPage(address) {
		return shown
	}
	if shown.Empty() {
		shown = Text(address)
	}
	return Markdown{"[" + shown.text + "](" + encode(address) + ")"}
}

// IsPage reports whether an address is that of a page.
func IsPage(address string) bool {
	return strings.HasPrefix(address, "http://") || strings.HasPrefix(address, "https://")
}

// Cut returns at most so many characters of what somebody wrote, with a mark where it was cut.
func Cut(written string, characters int) string {
	if utf8.RuneCountInString(written) <= characters {
		return written
	}
	keep := max(characters-utf8.RuneCountInString(cutMark), 0)
	for at := range written {
		if keep == 0 {
			return strings.TrimSpace(written[:at]) + cutMark
		}
		keep--
	}
	return written
}
