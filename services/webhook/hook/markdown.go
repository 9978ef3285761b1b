package hook

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"chatserver.dev/pkg/markdown"
)

// Markdown is text that can be sent. It is made from constants of the integration by [Format], which escapes other
// text, or by other functions of this package. Strings can't be converted to it, so text of a payload can't be sent as
// Markdown by accident.
type Markdown struct{ text string }

// constant is a string type to which other packages can convert only constants.
type constant string

// String returns the Markdown.
func (m Markdown) String() string { return m.text }

// Empty reports whether there is no text.
func (m Markdown) Empty() bool { return m.text == "" }

// Format formats a constant with the verbs %s and %d. Arguments of type Markdown and integers are inserted unchanged,
// all others by [Text].
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

// Join joins the parts that aren't empty with a separator.
func Join(separator constant, parts ...Markdown) Markdown {
	texts := []string(nil)
	for _, part := range parts {
		if !part.Empty() {
			texts = append(texts, part.text)
		}
	}
	return Markdown{strings.Join(texts, string(separator))}
}

// Text returns text of a third party as one line. It has no Markdown, except that addresses of pages become links.
func Text(written string) Markdown {
	words := strings.Fields(printable(written))
	for i, word := range words {
		if !isAddress(word) {
			words[i] = escape(word, i == 0, i == len(words)-1)
		}
	}
	return Markdown{strings.Join(words, " ")}
}

// maxLink is the maximum length of an address that is linked to, in bytes.
const maxLink = 2000

// Link returns a link to a page with a text. If address isn't the address of a page, or is longer than maxLink, it
// returns only the text.
func Link(text, address string) Markdown {
	shown := Text(text)
	address = strings.TrimSpace(address)
	if !IsPage(address) {
		return shown
	}
	if shown.Empty() {
		shown = Text(Cut(address, maxLink))
	}
	if len(address) > maxLink {
		return shown
	}
	return Markdown{"[" + shown.text + "](" + encode(address) + ")"}
}

// Code returns text of a third party as code within a line. If it has a run of backticks that no mark could be longer than, it has
// quotes in place of them.
func Code(written string) Markdown {
	written = Line(written)
	if written == "" {
		return Markdown{}
	}
	fence := fenceFor(written, '`', 1)
	if len(fence) > markdown.MaxBackquotes {
		written = strings.ReplaceAll(written, "`", "'")
		fence = "`"
	}
	if written[0] == '`' || written[len(written)-1] == '`' {
		written = " " + written + " "
	}
	return Markdown{fence + written + fence}
}

// Quote returns Markdown of a third party in a block for quotes, which it can't end. It is cut to maxQuote characters.
// Mentions in it have no effect, as in all messages of integrations.
func Quote(written string) Markdown { return block('~', "quote", written) }

// CodeBlock returns text of a third party as code in a language. It is cut to maxQuote characters.
func CodeBlock(language constant, written string) Markdown {
	return block('`', string(language), written)
}

// WithQuote returns a text followed by a full stop, or by a colon and a quote if there is one.
func WithQuote(text Markdown, quoted string) Markdown { return WithBlock(text, Quote(quoted)) }

// WithBlock is [WithQuote] with any block, such as [CodeBlock] returns.
func WithBlock(text, block Markdown) Markdown {
	if block.Empty() {
		return Format("%s.", text)
	}
	return Format("%s:\n\n%s", text, block)
}

// maxQuote is the maximum length of a quote or a block of code, in characters.
const maxQuote = 4000

func block(mark byte, kind, written string) Markdown {
	written = strings.Trim(Cut(printable(strings.ReplaceAll(written, "\r\n", "\n")), maxQuote), "\n")
	if strings.TrimSpace(written) == "" {
		return Markdown{}
	}
	fence := fenceFor(written, mark, 3)
	return Markdown{strings.TrimSpace(fence+" "+kind) + "\n" + written + "\n" + fence}
}

// fenceFor returns a fence of at least so many marks that isn't in the text.
func fenceFor(written string, mark byte, least int) string {
	run, longest := 0, least-1
	for i := range len(written) {
		if written[i] != mark {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	return strings.Repeat(string(mark), longest+1)
}

// IsPage reports whether an address begins with http:// or https://.
func IsPage(address string) bool {
	return strings.HasPrefix(address, "http://") || strings.HasPrefix(address, "https://")
}

// Cut cuts a text to a number of characters, and marks the cut.
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
