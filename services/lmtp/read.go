package lmtp

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"

	"github.com/emersion/go-message"
	_ "github.com/emersion/go-message/charset" // encodings other than UTF-8
	"github.com/emersion/go-message/mail"

	"chatserver.dev/pkg/gateway"
	"chatserver.dev/pkg/incomingmail"
)

const (
	// maxDepth is the maximum nesting depth of a mail's parts, and maxParts their maximum number.
	maxDepth = 10
	maxParts = 200
	// maxText is the number of bytes that are read of a text: a message has far fewer.
	maxText = 256 << 10
	// maxHeader is the maximum size of a mail's header, in bytes, maxPartHeader that of a part's header, and maxPartHeaders that of
	// the headers of all parts. In memory, a field of a few bytes takes a hundred times its size.
	maxHeader      = 256 << 10
	maxPartHeader  = 64 << 10
	maxPartHeaders = 512 << 10
)

// headerEnd is what a mail's text follows.
var headerEnd = regexp.MustCompile(`\n\r?\n`)

var (
	errDeep    = errors.New("its parts are nested too deeply")
	errParts   = errors.New("it has too many parts")
	errHeaders = errors.New("the headers of its parts are too large")
)

// read parses a mail. Its error is sent to the sender.
func read(raw []byte) (incomingmail.Mail, error) {
	if largeHeaders(raw) {
		return incomingmail.Mail{}, errHeaders
	}
	top, err := open(raw)
	if err != nil {
		return incomingmail.Mail{}, err
	}
	m := readHeader(raw, mail.Header{Header: top.Header})
	plain, html, files := "", "", files{room: min(maxExpanded*len(raw), maxBytes)}
	err = walk(top, func(e *message.Entity) (err error) {
		switch kind := kindOf(e); {
		case kind == "text/plain" && plain == "":
			plain, err = textOf(e)
		case kind == "text/html" && html == "":
			html, err = textOf(e)
		default:
			files.add(e)
		}
		return err
	})
	if err != nil {
		return incomingmail.Mail{}, err
	}
	m.Text, m.Files = textFrom(plain, html), files.all
	return m, nil
}

// readHeader returns a mail with the data of its header.
func readHeader(raw []byte, h mail.Header) incomingmail.Mail {
	m := incomingmail.Mail{ID: identity(raw, h), From: h.Get("From")}
	subject, err := h.Subject()
	if err != nil {
		subject = h.Get("Subject") // in an unknown encoding
	}
	m.Subject = subject
	if from, err := h.AddressList("From"); err == nil && len(from) > 0 {
		m.From, m.FromAddr = from[0].Address, from[0].Address
		if from[0].Name != "" {
			m.From = from[0].Name + " <" + from[0].Address + ">"
		}
	}
	m.Answer, m.Automatic = automatic(h)
	m.Reply = h.Has("In-Reply-To") || h.Has("References")
	return m
}

// identity returns what is the same for each delivery of a mail, and for no other mail. Its Message-ID isn't enough: others, who may know or
// guess it, could send a mail with it earlier. Mail servers add fields to the header, so only some of them count.
func identity(raw []byte, h mail.Header) string {
	hash := sha256.New()
	for _, name := range []string{"Message-Id", "Date", "From", "Subject"} {
		fmt.Fprintf(hash, "%q\n", strings.TrimSpace(h.Get(name)))
	}
	if end := headerEnd.FindIndex(raw); end != nil {
		hash.Write(raw[end[1]:])
	}
	return hex.EncodeToString(hash.Sum(nil))
}

// textFrom returns a function that converts a mail's text, from plain text or HTML, for the options of a recipient. It
// remembers the results: a mail may have many recipients, and converting HTML may take long.
func textFrom(plain, html string) func(gateway.Options) string {
	texts := map[gateway.Options]string{}
	return func(o gateway.Options) string {
		text, known := texts[o]
		switch {
		case known:
			return text
		case strings.TrimSpace(plain) == "" || o.PreferHTML && strings.TrimSpace(html) != "":
			text = fromHTML(html, o)
		default:
			text = fromPlain(plain, o)
		}
		texts[o] = text
		return text
	}
}

// automatic reports whether the mail was sent automatically, and whether it is an automatic answer (RFC 3834).
func automatic(h mail.Header) (answer, automatic bool) {
	how, _, _ := strings.Cut(strings.ToLower(h.Get("Auto-Submitted")), ";")
	how = strings.TrimSpace(how)
	precedence := strings.ToLower(strings.TrimSpace(h.Get("Precedence")))
	answer = how == "auto-replied" || precedence == "auto_reply" || h.Has("X-Autoreply") || h.Has("X-Autorespond")
	automatic = answer || how != "" && how != "no" || precedence == "bulk" || precedence == "junk" || precedence == "list" ||
		h.Has("List-Id") || h.Has("X-Auto-Response-Suppress")
	return answer, automatic
}

func open(raw []byte) (*message.Entity, error) {
	e, err := message.ReadWithOptions(bytes.NewReader(raw), &message.ReadOptions{MaxHeaderBytes: maxHeader})
	if e == nil || err != nil && !harmless(err) {
		return nil, fmt.Errorf("it is not a mail: %w", err)
	}
	return e, nil
}

// largeHeaders reports whether the headers of parts are too large. The library has no limit on them. What follows a line that
// may be a boundary is a header as long as its lines have the form of fields.
func largeHeaders(raw []byte) bool {
	all, header, inHeader := 0, 0, false
	for line := range bytes.Lines(raw) {
		switch {
		case inHeader && isField(line):
			header += len(line)
			all += len(line)
			if header > maxPartHeader || all > maxPartHeaders {
				return true
			}
		case bytes.HasPrefix(line, []byte("--")):
			header, inHeader = 0, true
		default:
			inHeader = false
		}
	}
	return false
}

// isField reports whether a line of a header may be a field, or a part of one.
func isField(line []byte) bool {
	name, _, found := bytes.Cut(line, []byte(":"))
	return line[0] == ' ' || line[0] == '\t' || found && !bytes.ContainsAny(bytes.TrimRight(name, " \t"), " \t")
}

// harmless reports whether an error is about an unknown encoding. The text is then returned without decoding.
func harmless(err error) bool { return message.IsUnknownCharset(err) || message.IsUnknownEncoding(err) }

// walk calls visit with each part of a mail that has no parts itself.
func walk(top *message.Entity, visit func(e *message.Entity) error) error {
	parts := 0
	return walkIn(top, 0, &parts, visit)
}

func walkIn(e *message.Entity, depth int, parts *int, visit func(e *message.Entity) error) error {
	if depth > maxDepth {
		return errDeep
	}
	if *parts++; *parts > maxParts {
		return errParts
	}
	inside := e.MultipartReader()
	if inside == nil {
		return visit(e)
	}
	for {
		part, err := inside.NextPart()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case part == nil || err != nil && !harmless(err):
			return nil // it is truncated: the previous parts are used
		}
		if err := walkIn(part, depth+1, parts, visit); err != nil {
			return err
		}
	}
}

// kindOf returns the media type of a part; empty: it is a file.
func kindOf(e *message.Entity) string {
	kind, params, err := e.Header.ContentType()
	if err != nil {
		return "" // the type is invalid: it counts as a file
	}
	disposition, more, _ := e.Header.ContentDisposition()
	if disposition == "attachment" || more["filename"] != "" || params["name"] != "" {
		return ""
	}
	return strings.ToLower(kind)
}

func textOf(e *message.Entity) (string, error) {
	text, err := io.ReadAll(io.LimitReader(e.Body, maxText))
	if err != nil && len(text) == 0 {
		return "", fmt.Errorf("its text can't be decoded: %w", err)
	}
	return strings.ToValidUTF8(strings.ReplaceAll(string(text), "\r\n", "\n"), "\uFFFD"), nil
}
