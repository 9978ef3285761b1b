package mail

import (
	_ "embed"
	"errors"
	"fmt"
	html "html/template"
	"net/mail"
	"strings"
	"sync"
	text "text/template"
	"time"
	"unicode"
	"unicode/utf8"

	gomail "github.com/wneessen/go-mail"
	"golang.org/x/net/idna"

	"chatserver.dev/pkg/catalogue"
)

// Letter is the content of a mail. The mail has it as text and as HTML.
type Letter struct {
	// Language is the code of the language of the fixed texts. Empty: English.
	Language string
	To       string // an address
	From     string // the sender's name, such as an organization's
	ReplyTo  string // the address for replies, which are written above a line with [ReplyMark]; empty: replies aren't read
	Subject  string
	Before   []string // paragraphs
	Quotes   []Quote
	Link     string   // the address that the button opens; empty: there is no button
	Button   string   // the label of the button
	After    []string // paragraphs
	// Thread identifies what the mail is about, as letters and digits. Mail programs group mails with the same one, whichever arrives
	// first. Empty: the mail stands alone.
	Thread string
	// Unsubscribe is the address of a page whose form unsubscribes from such mail. Mail programs submit the form
	// without showing it. Empty: there is none.
	Unsubscribe string
}

// Quote is a list of messages under a title.
type Quote struct {
	Title    string
	Messages []QuotedMessage
}

// QuotedMessage is a quoted message.
type QuotedMessage struct {
	By, At string    // the name of the sender and the time, formatted
	Text   string    // for the mail as text
	HTML   html.HTML // the same as safe markup, for the mail as HTML
	Old    bool      // whether it is an earlier message, shown as context
}

// NewLetter returns a letter in a language, sent in the name of an organization. Its button opens the link.
func NewLetter(in catalogue.Texts, from string, says catalogue.Letter, link string) *Letter {
	return &Letter{
		Language: in.Code, From: from, Subject: says.Subject, Before: says.Before, Link: link, Button: says.Button, After: says.After,
	}
}

// ReplyMark is at both ends of the first line of a mail that can be replied to, in all languages. What mail programs put before and after
// the text that they quote differs, so this is where replies are cut.
const ReplyMark = "-##-"

// UnsubscribePath is the path of the pages of [Letter.Unsubscribe], at the host of an organization. It is followed by the token of a link.
const UnsubscribePath = "/unsubscribe/"

//go:embed letter.txt
var textForm string

//go:embed letter.html
var htmlForm string

// The templates of all letters. Parsing them took six sevenths of the time for a letter.
//
//nolint:gochecknoglobals // values that don't change
var (
	parsedText = sync.OnceValues(func() (*text.Template, error) { return text.New("letter").Parse(textForm) })
	parsedHTML = sync.OnceValues(func() (*html.Template, error) { return html.New("letter").Parse(htmlForm) })
)

// maxHeader is the maximum length of a text in a header that people have chosen, in characters.
const maxHeader = 150

// message returns the mail of a letter, sent from an address.
func (l Letter) message(from string, now time.Time) (*gomail.Msg, error) {
	to, err := recipient(l.To)
	if err != nil {
		return nil, err
	}
	plain, marked, err := l.bodies()
	if err != nil {
		return nil, fmt.Errorf("compose a letter: %w", err)
	}
	m := gomail.NewMsg(gomail.WithNoDefaultUserAgent())
	m.FromMailAddress(&mail.Address{Name: header(l.From), Address: from})
	m.ToMailAddress(to)
	if l.ReplyTo != "" {
		m.ReplyToMailAddress(&mail.Address{Name: header(l.From), Address: l.ReplyTo})
	}
	m.Subject(header(l.Subject))
	m.SetDateWithValue(now)
	_, domain, _ := strings.Cut(from, "@")
	m.SetMessageIDWithValue(newToken() + "@" + domain)
	m.SetGenHeader("Auto-Submitted", "auto-generated")           // prevents automatic replies (RFC 3834)
	m.SetGenHeader("X-Auto-Response-Suppress", "OOF, AutoReply") // the same for Exchange
	if l.Thread != "" {
		thread := "<" + l.Thread + "@" + domain + ">"
		m.SetGenHeader(gomail.HeaderInReplyTo, thread)
		m.SetGenHeader(gomail.HeaderReferences, thread)
	}
	if l.Unsubscribe != "" { // RFC 8058
		m.SetGenHeader("List-Unsubscribe", "<"+l.Unsubscribe+">")
		m.SetGenHeader("List-Unsubscribe-Post", "List-Unsubscribe=One-Click")
	}
	m.SetBodyString(gomail.TypeTextPlain, plain)
	m.AddAlternativeString(gomail.TypeTextHTML, marked)
	return m, nil
}

// recipient parses an address, and returns it with a domain in ASCII, which all mail servers accept.
func recipient(address string) (*mail.Address, error) {
	to, err := mail.ParseAddress(address)
	if err != nil || to.Name != "" || to.Address != address {
		return nil, fmt.Errorf("%w: it is not an address", ErrRefused)
	}
	at := strings.LastIndexByte(address, '@') + 1
	if domain := address[at:]; strings.ContainsFunc(domain, func(r rune) bool { return r >= utf8.RuneSelf }) {
		if domain, err = idna.Lookup.ToASCII(domain); err != nil {
			return nil, fmt.Errorf("%w: %w", ErrRefused, err)
		}
		to.Address = address[:at] + domain
	}
	return to, nil
}

// bodies returns the letter as text and as HTML.
func (l Letter) bodies() (plain, marked string, err error) {
	asPlain, err := parsedText()
	if err != nil {
		return "", "", err
	}
	asMarked, err := parsedHTML()
	if err != nil {
		return "", "", err
	}
	texts := catalogue.In(l.Language)
	shown := struct {
		Letter
		Direction string
		Words     catalogue.Mail
		Mark      string
	}{l, texts.Direction(), texts.Mail, ReplyMark}
	inText, inHTML := strings.Builder{}, strings.Builder{}
	err = errors.Join(asPlain.Execute(&inText, shown), asMarked.Execute(&inHTML, shown))
	return inText.String(), inHTML.String(), err
}

// header returns a text as one line of at most [maxHeader] characters. It contains no encoded word (RFC 2047), which mail programs would
// decode: an invisible character separates "=" and "?", and has the text encoded as a whole.
func header(text string) string {
	text = strings.ReplaceAll(OneLine(text), "=?", "=\u200B?")
	if utf8.RuneCountInString(text) > maxHeader {
		text = string([]rune(text)[:maxHeader-1]) + "…"
	}
	return text
}

// OneLine returns a text as one line of valid UTF-8 without control characters.
func OneLine(text string) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	return strings.Join(strings.FieldsFunc(text, func(r rune) bool { return unicode.IsControl(r) || unicode.IsSpace(r) }), " ")
}
