package slack

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// maxText is the maximum size of a text in bytes. Longer ones are cut. Slack's own texts have up to 40,000
	// characters.
	maxText = 1 << 20
	// farthest is the maximum length of a link or emphasized text in bytes.
	farthest = 4096
)

// names resolves ids in messages.
type names interface {
	// mention returns the mention of an account as Markdown, or the name of an account that can't be mentioned. It
	// returns an empty text if there is no such account.
	mention(account string) string
	// person returns the name of an account, or an empty text if there is no such account.
	person(account string) string
	// link returns a link to a channel as Markdown, or an empty text if there is no such channel.
	link(channel string) string
}

// markdown converts a text from Slack's markup to Markdown.
func markdown(text string, in names) string {
	if len(text) > maxText {
		text = strings.ToValidUTF8(text[:maxText], "")
	}
	w := &writer{names: in}
	for {
		before, rest, ok := strings.Cut(text, "```")
		code, after, closed := strings.Cut(rest, "```")
		if !ok || !closed {
			w.lines(text)
			return w.out.String()
		}
		w.lines(before)
		w.fence(code)
		text = strings.TrimLeft(after, " ")
		if text = strings.TrimPrefix(text, "\n"); text == "" {
			return strings.TrimSuffix(w.out.String(), "\n")
		}
	}
}

// writer writes Markdown.
type writer struct {
	names

	out    strings.Builder
	marks  string // open marks of emphasis
	quoted bool   // whether the previous line is quoted
	all    bool   // whether all of the remaining text is quoted
}

// last returns the last byte of the output; 0: there is none.
func (w *writer) last() byte {
	if w.out.Len() == 0 {
		return 0
	}
	return w.out.String()[w.out.Len()-1]
}

// fence writes a code block.
func (w *writer) fence(code string) {
	if last := w.last(); last != 0 && last != '\n' {
		w.out.WriteByte('\n')
	}
	w.out.WriteString("```\n" + strings.Trim(w.plain(code), "\n") + "\n```\n")
}

// lines writes text without code blocks.
func (w *writer) lines(text string) {
	for text != "" {
		line, rest, more := strings.Cut(text, "\n")
		w.line(line)
		if more {
			w.out.WriteByte('\n')
		}
		text = rest
	}
}

// line writes a line, which may be a part of a quotation or a list.
func (w *writer) line(line string) {
	if begins := w.last(); begins != 0 && begins != '\n' { // after a code block
		w.inline(line)
		return
	}
	quote, isQuote := strings.CutPrefix(line, "&gt;")
	if strings.HasPrefix(quote, "&gt;&gt;") {
		quote, w.all = strings.TrimPrefix(quote, "&gt;&gt;"), true
	}
	switch {
	case isQuote || w.all:
		if !isQuote {
			quote = line
		}
		w.out.WriteString("> ")
		line = strings.TrimPrefix(quote, " ")
	case w.quoted && strings.TrimSpace(line) != "":
		w.out.WriteByte('\n') // to end the quotation
	}
	w.quoted = isQuote || w.all
	blanks := len(line) - len(strings.TrimLeft(line, " "))
	for _, bullet := range []string{"• ", "◦ ", "▪︎ ", "▪ "} {
		if item, ok := strings.CutPrefix(line[blanks:], bullet); ok {
			w.out.WriteString(strings.Repeat("  ", min(blanks/4, 8)) + "* ")
			line = item
			break
		}
	}
	w.inline(line)
}

// inline writes a part of a line, or emphasized text.
func (w *writer) inline(text string) {
	for i := 0; i < len(text); {
		next := strings.IndexAny(text[i:], "<&`:*_~")
		if next < 0 {
			w.out.WriteString(text[i:])
			return
		}
		w.out.WriteString(text[i : i+next])
		i += next
		var n int // number of parsed bytes
		switch text[i] {
		case '<':
			n = w.reference(text[i:])
		case '&':
			n = w.entity(text[i:])
		case '`':
			n = w.code(text[i:])
		case ':':
			n = w.emoji(text[i:])
		default:
			n = w.emphasis(text, i)
		}
		if n == 0 {
			w.out.WriteByte(text[i])
			n = 1
		}
		i += n
	}
}

// until returns the text up to a mark within [farthest] bytes.
func until(text string, mark byte) (inside string, ok bool) {
	end := strings.IndexByte(text[:min(len(text), farthest)], mark)
	if end < 0 {
		return "", false
	}
	return text[:end], true
}

// entity writes the character for an HTML entity, and returns the length of the entity.
func (w *writer) entity(text string) int {
	for _, name := range []string{"&amp;", "&lt;", "&gt;"} {
		if strings.HasPrefix(text, name) {
			w.out.WriteString(unescape(name))
			return len(name)
		}
	}
	return 0
}

func unescape(text string) string {
	return strings.NewReplacer("&amp;", "&", "&lt;", "<", "&gt;", ">").Replace(text)
}

// code writes a code span.
func (w *writer) code(text string) int {
	inside, ok := until(text[1:], '`')
	if !ok || inside == "" {
		return 0
	}
	w.out.WriteString("`" + w.plain(inside) + "`")
	return len(inside) + 2
}

// emoji writes an emoji.
func (w *writer) emoji(text string) int {
	end := strings.IndexFunc(text[1:], func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9') && !strings.ContainsRune("_+-'", r)
	})
	if end <= 0 || end > 100 || text[end+1] != ':' {
		return 0
	}
	found, ok := emojiText(text[1 : end+1])
	if !ok {
		return 0
	}
	n := end + 2
	if tone := strings.TrimPrefix(text[n:], ":skin-tone-"); len(tone) < len(text)-n && len(tone) > 1 && tone[1] == ':' {
		n = len(text) - len(tone) + 2
	}
	w.out.WriteString(found)
	return n
}

// emphasis writes emphasized text with its marks.
func (w *writer) emphasis(text string, at int) int {
	mark := text[at]
	before, _ := utf8.DecodeLastRuneInString(text[:at])
	inside := text[at+1:]
	if strings.IndexByte(w.marks, mark) >= 0 || at > 0 && (isWord(before) || text[at-1] == mark) || inside == "" || isBlank(inside[0]) || inside[0] == mark {
		return 0
	}
	end := closing(inside, mark)
	if end < 0 {
		return 0
	}
	inner := writer{names: w.names, marks: w.marks + string(mark)}
	inner.inline(inside[:end])
	around := map[byte]string{'*': "**", '_': "*", '~': "~~"}[mark]
	if written := inner.out.String(); strings.Contains(written, "@**") || strings.Contains(written, "#**") {
		w.spaced(written) // because a mention can't be emphasized
	} else {
		w.out.WriteString(around + written + around)
	}
	return end + 2
}

// closing returns the position of the closing mark of emphasis whose opening mark is before text; -1: there is none.
func closing(text string, mark byte) int {
	for i := 1; i < min(len(text), farthest); i++ {
		switch {
		case text[i] == '\n':
			return -1
		case text[i] == '<':
			if inside, ok := until(text[i:], '>'); ok {
				i += len(inside)
			}
		case text[i] == mark && !isBlank(text[i-1]):
			if after, _ := utf8.DecodeRuneInString(text[i+1:]); i+1 == len(text) || !isWord(after) {
				return i
			}
		}
	}
	return -1
}

func isBlank(b byte) bool { return b == ' ' || b == '\t' || b == '\n' }

func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' }

// spaced writes text after a blank, unless the output already ends with a character that serves as a separator.
func (w *writer) spaced(text string) {
	if last := w.last(); last != 0 && strings.IndexByte(" \n\t'\"(,:<", last) < 0 {
		w.out.WriteByte(' ')
	}
	w.out.WriteString(text)
}
