package gateway

import (
	"slices"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"chatserver.dev/pkg/id"
)

// Token identifies a stream: 32 hexadecimal digits in lower case.
type Token string

// Options determine how mail is shown. They are part of the address, so senders choose them.
type Options struct {
	ShowSender bool // the message begins with the sender of the mail
	KeepFooter bool // the signature stays
	KeepQuotes bool // quotations stay
	PreferHTML bool // the HTML is used even if the mail has plain text
}

// The options by their names in addresses.
const (
	showSender    = "show-sender"
	includeFooter = "include-footer"
	includeQuotes = "include-quotes"
	preferHTML    = "prefer-html"
	preferText    = "prefer-text"
)

// replies is the first part of the addresses of replies.
const replies = "reply"

// maxText is the maximum length of a text without a stream's name, for a reply or for a stream.
const maxText = max(len(replies)+len(".9223372036854775807.")+replyToken, tokenLength+len("."+showSender))

const (
	tokenLength = 32
	replyToken  = 26 // a result of rand.Text
)

// Stream returns a stream's address, with the option to show the sender, or "" if there is no incoming mail (rest-api.md, section 3.3).
// The address begins with the stream's name, cut to fit, if all its letters can be written in ASCII.
func (p Pattern) Stream(name string, token Token) string {
	if !p.Enabled() {
		return ""
	}
	text := string(token) + "." + showSender
	if slug := slugOf(name, room(p.around())-len(text)-len(".")); slug != "" {
		text = slug + "." + text
	}
	return p.address(text)
}

// Reply returns the address of replies with a token of an organization, or "" if there is no incoming mail.
func (p Pattern) Reply(org id.Org, token string) string {
	return p.address(replies + "." + strconv.FormatInt(int64(org), 10) + "." + strings.ToLower(token))
}

// Recipient is the recipient of mail to an address: a stream, or the sender of a message that the mail replies to.
type Recipient struct {
	Stream  Token // empty: the mail is a reply
	Options Options
	Org     id.Org // of a reply
	Reply   string // the token of a reply
}

// Parse returns the recipient of an address. Letter case doesn't matter. A dot or a plus separates the parts of the address. ok is
// false for addresses of another form.
func (p Pattern) Parse(address string) (r Recipient, ok bool) {
	text, ok := p.text(address)
	if !ok {
		return Recipient{}, false
	}
	parts := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return r == '.' || r == '+' })
	if len(parts) == 3 && parts[0] == replies && len(parts[2]) == replyToken {
		org, err := strconv.ParseInt(parts[1], 10, 64)
		return Recipient{Org: id.Org(org), Reply: strings.ToUpper(parts[2])}, err == nil && org > 0
	}
	for i, part := range slices.Backward(parts) {
		if len(part) == tokenLength && strings.Trim(part, "0123456789abcdef") == "" {
			return Recipient{Stream: Token(part), Options: options(parts[i+1:])}, true
		}
	}
	return Recipient{}, false
}

func options(names []string) Options {
	return Options{
		ShowSender: slices.Contains(names, showSender), KeepFooter: slices.Contains(names, includeFooter),
		KeepQuotes: slices.Contains(names, includeQuotes), PreferHTML: slices.Contains(names, preferHTML) && !slices.Contains(names, preferText),
	}
}

// joined returns the words of a name, with a hyphen for whatever is between them.
func joined(name string) string {
	return strings.Join(strings.FieldsFunc(name, func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsNumber(r) }), "-")
}

// slugOf returns the form of a stream's name in its address, at most the given number of bytes, or "" if letters would be lost.
func slugOf(name string, maxLength int) string {
	name = joined(name)
	ascii := strings.Map(func(r rune) rune {
		if r > unicode.MaxASCII {
			return -1
		}
		return unicode.ToLower(r)
	}, norm.NFKD.String(name))
	if len(ascii) != len([]rune(norm.NFC.String(name))) {
		return ""
	}
	ascii = joined(ascii) // some letters decompose to spaces
	return strings.Trim(ascii[:max(0, min(len(ascii), maxLength))], "-")
}
