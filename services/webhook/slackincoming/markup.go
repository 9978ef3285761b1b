package slackincoming

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"chatserver.dev/services/webhook/hook"
)

// maxText is the maximum length of a text with Slack's markup, in characters.
const maxText = 4000

// mrkdwn converts text with Slack's markup.
func mrkdwn(written string) hook.Markdown {
	written = strings.TrimSpace(strings.ReplaceAll(hook.Cut(written, maxText), "\r\n", "\n"))
	const fence = "```"
	parts := []hook.Markdown(nil)
	for written != "" {
		before, rest, opened := strings.Cut(written, fence)
		code, after, closed := strings.Cut(rest, fence)
		if !opened || !closed {
			return hook.Join("\n", append(parts, lines(written))...)
		}
		parts = append(parts, lines(before), hook.CodeBlock("", unescape(strings.Trim(code, "\n"))))
		written = strings.TrimSpace(after)
	}
	return hook.Join("\n", parts...)
}

// lines converts lines without blocks of code. Several empty lines become one, and a quote ends with its last line.
func lines(written string) hook.Markdown {
	paragraphs, lines, quote := []hook.Markdown(nil), []hook.Markdown(nil), false
	flush := func() { paragraphs, lines = append(paragraphs, hook.Join("\n", lines...)), nil }
	for line := range strings.SplitSeq(written, "\n") {
		shown, isQuote := converted(strings.TrimSpace(line))
		if shown.Empty() || isQuote != quote {
			flush()
		}
		lines, quote = append(lines, shown), isQuote
	}
	flush()
	return hook.Join("\n\n", paragraphs...)
}

// converted converts a line, and reports whether it is one of a quote.
func converted(line string) (shown hook.Markdown, isQuote bool) {
	for _, mark := range []string{"&gt;", ">"} {
		if said, ok := strings.CutPrefix(line, mark); ok {
			shown = quoted(inline(strings.TrimSpace(said)))
			return shown, !shown.Empty()
		}
	}
	if said, ok := strings.CutPrefix(line, "•"); ok {
		if shown = inline(strings.TrimSpace(said)); !shown.Empty() {
			shown = hook.Format("* %s", shown)
		}
		return shown, false
	}
	return inline(line), false
}

// quoted returns a line as a quote.
func quoted(line hook.Markdown) hook.Markdown {
	if line.Empty() {
		return line
	}
	return hook.Format("> %s", line)
}

// construct is what has a meaning in Slack's markup: a link or mention, code, strong text, emphasis, struck text, an
// emoji.
var construct = regexp.MustCompile("<([^<>|\n]+)(?:\\|([^<>\n]*))?>|`([^`\n]+)`|\\*([^*\n]+)\\*|_([^_\n]+)_|~([^~\n]+)~|:([-+_0-9A-Za-z]+):")

// The groups of construct.
const (
	target = iota + 1
	label
	code
	bold
	italic
	struck
	emoji
)

// inline converts a line.
func inline(line string) hook.Markdown {
	shown, plain := hook.Markdown{}, 0
	for at := 0; at < len(line); {
		found := construct.FindStringSubmatchIndex(line[at:])
		if found == nil {
			break
		}
		start, end := at+found[0], at+found[1]
		group := func(n int) (text string, ok bool) {
			if found[2*n] < 0 {
				return "", false
			}
			return line[at+found[2*n] : at+found[2*n+1]], true
		}
		piece, ok := convert(group)
		if _, isLink := group(target); !ok || !isLink && !alone(line, start, end) {
			at = start + 1
			continue
		}
		shown = hook.Format("%s%s%s", shown, spaced(unescape(line[plain:start])), piece)
		at, plain = end, end
	}
	return hook.Format("%s%s", shown, spaced(unescape(line[plain:])))
}

// convert returns the Markdown of a construct with these groups, unless it has blanks inside of its marks.
func convert(group func(int) (string, bool)) (shown hook.Markdown, ok bool) {
	if address, ok := group(target); ok {
		name, _ := group(label)
		return link(unescape(address), unescape(name)), true
	}
	if text, ok := group(code); ok {
		return hook.Code(unescape(text)), strings.TrimSpace(text) != ""
	}
	if name, ok := group(emoji); ok {
		return hook.Emoji(name), true
	}
	for _, n := range []int{bold, italic, struck} {
		text, ok := group(n)
		if !ok {
			continue
		}
		if strings.TrimSpace(text) != text {
			return hook.Markdown{}, false
		}
		inner := inline(text)
		if n == struck {
			return hook.Format("~~%s~~", inner), !inner.Empty()
		}
		return hook.Format("**%s**", inner), !inner.Empty()
	}
	return hook.Markdown{}, false
}

// link returns what is written between angle brackets.
func link(address, name string) hook.Markdown {
	switch {
	case hook.IsPage(address):
		return hook.Link(name, address)
	case name != "": // a mention with its fallback, or an address for mail
		return hook.Text(name)
	default: // a mention: @U024BE7LH, #C024BE7LH, !here
		return hook.Text(strings.Replace(strings.TrimPrefix(address, "mailto:"), "!", "@", 1))
	}
}

// alone reports whether neither a letter nor a digit nor another mark is next to a part of a line, as Slack demands of
// its marks.
func alone(line string, start, end int) bool {
	before, _ := utf8.DecodeLastRuneInString(line[:start])
	after, _ := utf8.DecodeRuneInString(line[end:])
	word := func(r rune) bool {
		return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r) || r == rune(line[start]))
	}
	return !word(before) && !word(after)
}

// unescape replaces the three entities that Slack has.
func unescape(written string) string {
	return strings.NewReplacer("&lt;", "<", "&gt;", ">", "&amp;", "&").Replace(written)
}

// spaced returns text with a blank at each end where it has white space.
func spaced(written string) hook.Markdown {
	if written != "" && strings.TrimSpace(written) == "" {
		return hook.Format(" ")
	}
	return hook.Format("%s%s%s", before(written), hook.Text(written), after(written))
}

// before returns a blank if the text begins with white space.
func before(written string) hook.Markdown {
	return blankIf(written != strings.TrimLeftFunc(written, unicode.IsSpace))
}

// after returns a blank if the text ends with white space.
func after(written string) hook.Markdown {
	return blankIf(written != strings.TrimRightFunc(written, unicode.IsSpace))
}

func blankIf(blank bool) hook.Markdown {
	if blank {
		return hook.Format(" ")
	}
	return hook.Markdown{}
}
