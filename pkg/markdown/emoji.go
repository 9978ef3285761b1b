package markdown

import (
	"strings"
	"unicode/utf8"

	"chatserver.dev/pkg/emoji"
)

// maxEmojiName is the longest name of an emoji, in bytes.
const maxEmojiName = 100

// productEmoji is the name of the product's own emoji, and ProductEmojiPath the path of its picture, as clients of the
// interface know them (rest-api.md, section 7.6).
const (
	productEmoji     = "zulip"
	ProductEmojiPath = "/static/generated/emoji/images/emoji/unicode/" + productEmoji + ".png"
)

const (
	joiner        = '\u200d'
	textSelector  = '\ufe0e'
	emojiSelector = '\ufe0f'
)

// readEmojiName returns the name in `:name:` at the start of s, or "" if there is none.
func readEmojiName(s string) string {
	for i := 1; i < len(s) && i <= maxEmojiName+1; i++ {
		c := s[i]
		if c == ':' {
			return s[1:i]
		}
		if !alphanumeric(c) && strings.IndexByte("_+-.", c) < 0 {
			break
		}
	}
	return ""
}

// emojiName writes `:name:`. Custom emoji take precedence over Unicode ones (rest-api.md, section 7.6).
func (s *scanner) emojiName(i int) int {
	name := readEmojiName(s.text[i:s.end])
	if name == "" {
		return 0
	}
	next := i + len(name) + 2
	p := s.p
	if url, ok := p.in.Emoji[name]; ok {
		s.take(i, next)
		p.emojiImage(name, url)
		return next
	}
	if name == productEmoji && !p.in.plain {
		s.take(i, next)
		p.emojiImage(name, ProductEmojiPath)
		return next
	}
	code, ok := emoji.ByName(name)
	if !ok {
		return 0
	}
	s.take(i, next)
	p.emojiSpan(name, code)
	return next
}

// emojiCharacter writes an emoji that is typed as a character. It leaves sequences (flags, skin tones,
// characters combined by a zero-width joiner) to the client's font.
func (s *scanner) emojiCharacter(i int) int {
	r, size := utf8.DecodeRuneInString(s.text[i:s.end])
	next := i + size
	if n := s.sequence(next); n > next {
		return n
	}
	code, name, ok := emoji.ByRune(r)
	if !ok || skinTone(r) {
		return next
	}
	following, width := utf8.DecodeRuneInString(s.text[next:s.end])
	if following == textSelector {
		return next
	}
	if following == emojiSelector {
		next += width
	}
	s.take(i, next)
	s.p.emojiSpan(name, code)
	return next
}

// sequence returns the end of the sequence of joined characters and skin tones that begins with the character
// before i, or i if that character stands alone.
func (s *scanner) sequence(i int) int {
	end := i
	for i < s.end {
		r, size := utf8.DecodeRuneInString(s.text[i:s.end])
		switch {
		case r == emojiSelector:
			i += size
		case skinTone(r):
			i += size
			end = i
		case r == joiner:
			i += size
			_, size = utf8.DecodeRuneInString(s.text[i:s.end])
			i += size
			end = i
		default:
			return end
		}
	}
	return end
}

func skinTone(r rune) bool { return r >= 0x1f3fb && r <= 0x1f3ff }

// emoticon writes an emoticon as an emoji, if the sender's settings say so. It must stand between blanks or punctuation.
func (s *scanner) emoticon(i int) int {
	next := i + 2
	if !s.p.in.TranslateEmoticons || next > s.end {
		return 0
	}
	if i > s.start && !separates(s.text[i-1]) || next < s.end && !separates(s.text[next]) {
		return 0
	}
	name, ok := emoji.ByEmoticon(s.text[i:next])
	if !ok {
		return 0
	}
	code, ok := emoji.ByName(name)
	if !ok {
		return 0
	}
	s.take(i, next)
	s.p.emojiSpan(name, code)
	return next
}

// separates reports whether a byte may be directly before or after an emoticon.
func separates(c byte) bool {
	return blank(c) || strings.IndexByte(`,.;?!()[]"'`, c) >= 0
}

func (p *page) emojiSpan(name, code string) {
	title := strings.ReplaceAll(name, "_", " ")
	p.write(`<span aria-label="`, title, `" class="emoji emoji-`, code, `" role="img" title="`, title, `">:`, name, `:</span>`)
}

func (p *page) emojiImage(name, url string) {
	p.write(`<img alt=":`, name, `:" class="emoji"`)
	p.attribute("src", url)
	p.attribute("title", strings.ReplaceAll(name, "_", " "))
	p.write(">")
}
