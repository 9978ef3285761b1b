package lmtp

import (
	"regexp"
	"slices"
	"strings"

	"chatserver.dev/pkg/gateway"
	"chatserver.dev/pkg/mail"
)

// intro matches lines by which mail programs introduce a quotation.
var intro = regexp.MustCompile(`(?i)^\s*>*\s*(?:on\b.{5,200}\bwrote:|am\b.{5,200}\bschrieb\b.{0,200}:|le\b.{5,200}\ba écrit\s*:|-{2,}\s*(?:original message|forwarded message|ursprüngliche nachricht)\s*-{2,}|_{20,})\s*$`)

// fromPlain returns a text without quotations and footer, unless the options keep them.
func fromPlain(text string, o gateway.Options) string {
	lines := strings.Split(strings.TrimRight(text, " \t\n"), "\n")
	if !o.KeepQuotes {
		lines = withoutQuotes(lines)
	}
	if !o.KeepFooter {
		lines = withoutFooter(lines)
	}
	return strings.Join(lines, "\n")
}

// withoutQuotes cuts what follows the line that introduces a quotation, and quoted lines at the end. An introduction
// may take two lines. If the text has nothing else, it is what is below the quotation. If there is nothing either, only
// links of this server that need no login are cut.
func withoutQuotes(lines []string) []string {
	kept := lines
	for i, line := range lines {
		if strings.Contains(line, mail.ReplyMark) {
			kept = withoutIntro(lines[:i])
			break
		}
		if intro.MatchString(line) || i+1 < len(lines) && !strings.HasPrefix(line, ">") && intro.MatchString(line+" "+lines[i+1]) {
			kept = lines[:i]
			break
		}
	}
	if kept = withoutQuoted(kept); len(kept) == 0 {
		kept = belowQuote(lines)
	}
	return slices.DeleteFunc(slices.Clone(kept), unsubscribe.MatchString)
}

// belowQuote returns what is below the only quotation, or all lines if there is nothing, or if there are several
// quotations: what is between those is an answer to each.
func belowQuote(lines []string) []string {
	isQuoted := func(line string) bool { return strings.HasPrefix(strings.TrimSpace(line), ">") }
	isText := func(line string) bool { return strings.TrimSpace(line) != "" && !isQuoted(line) }
	quote := slices.IndexFunc(lines, isQuoted)
	if quote < 0 {
		return lines
	}
	text := slices.IndexFunc(lines[quote:], isText)
	if text < 0 || slices.ContainsFunc(lines[quote+text:], isQuoted) {
		return lines
	}
	return lines[quote+text:]
}

// withoutQuoted cuts quoted and empty lines at the end.
func withoutQuoted(lines []string) []string {
	for len(lines) > 0 {
		last := strings.TrimSpace(lines[len(lines)-1])
		if last != "" && !strings.HasPrefix(last, ">") {
			break
		}
		lines = lines[:len(lines)-1]
	}
	return lines
}

var (
	// unsubscribe matches lines with a link by which anybody may unsubscribe the account that the mail was sent to.
	unsubscribe = regexp.MustCompile(regexp.QuoteMeta(mail.UnsubscribePath) + `[\w-]{40}`)
	// field matches a line of a header that a mail program shows.
	field = regexp.MustCompile(`^[\s*_]*\p{L}[\p{L}\p{M}\p{Zs}]{0,30}[*_]*\p{Zs}?[:：]`)
	// dated matches a line with an address or a year: each header has one, and lists of times seldom do.
	dated = regexp.MustCompile(`@|\p{N}{4}`)
	// colon matches lines that end with a colon, number those with a number, as of a date, and written those that may say who wrote when.
	colon   = regexp.MustCompile(`[:：][*_\s]*$`)
	number  = regexp.MustCompile(`\p{N}`)
	written = regexp.MustCompile(`[\p{N}@]`)
)

// minFields is the number of lines that are taken for a header.
const minFields = 3

// withoutIntro cuts what mail programs put between a reply and the mail that it quotes, in any language: the mail's
// header, or a sentence of one or two lines that ends with a colon.
func withoutIntro(lines []string) []string {
	lines = withoutQuoted(lines)
	fields := 0
	for fields < len(lines) && field.MatchString(lines[len(lines)-1-fields]) {
		fields++
	}
	switch last := len(lines) - 1; {
	case fields >= minFields && slices.ContainsFunc(lines[len(lines)-fields:], dated.MatchString):
		return lines[:len(lines)-fields]
	case last < 0 || !colon.MatchString(lines[last]):
		return lines
	case last > 0 && !number.MatchString(lines[last]) && number.MatchString(lines[last-1]):
		return lines[:last-1]
	case last == 0 || written.MatchString(lines[last]): // a single line may be a name alone; nothing is lost if it isn't
		return lines[:last]
	}
	return lines
}

// withoutFooter cuts the signature, which begins with a line of two dashes. If there are several such lines, no text
// before it, or a quotation below it, nothing is cut.
func withoutFooter(lines []string) []string {
	at := -1
	for i, line := range lines {
		if strings.TrimSpace(line) != "--" {
			continue
		}
		if at >= 0 {
			return lines
		}
		at = i
	}
	if at <= 0 || strings.TrimSpace(strings.Join(lines[:at], "")) == "" || slices.ContainsFunc(lines[at:], intro.MatchString) {
		return lines
	}
	return lines[:at]
}
