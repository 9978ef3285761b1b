package markdown

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"

	"chatserver.dev/pkg/id"
)

// ErrTooLong says that the HTML would have more than [MaxHTML] characters.
var ErrTooLong = errors.New("rendered text is too long")

// MaxHTML is the largest size of rendered text, in characters (rest-api.md, section 7.10).
const MaxHTML = 100_000

// Config is what is the same for all texts of a server.
type Config struct {
	// ProductEmoji is the name of the product's own emoji, without colons; "" for none. Its image
	// is a static file of the server (rest-api.md, section 7.6).
	ProductEmoji string
	// ImageSource returns the address on this server under which readers get an image of another
	// server, or "" if the server doesn't fetch it. Then, and where ImageSource is nil, there is no
	// preview of the image: its address never reaches a reader's browser but as a link, which it
	// follows only when it is asked to.
	ImageSource func(address string) string
}

// User is a person or bot that a text may mention.
type User struct {
	// ID identifies the user.
	ID id.User
	// Name is the full name, as it is shown.
	Name string
}

// Context is what one text is rendered with: the settings of its sender and organization, and the
// names that the caller looked up. The zero value resolves nothing. Render only reads it.
type Context struct {
	// Users holds active users and bots by lower-cased full name ([strings.ToLower]).
	Users map[string]User
	// UsersByID holds the users of mentions that name an ID.
	UsersByID map[id.User]User
	// Groups holds the IDs of user groups by exact name.
	Groups map[string]id.Group
	// Streams holds active streams by exact name.
	Streams map[string]id.Stream
	// Emoji holds the image URLs of active custom emoji by name.
	Emoji map[string]string
	// Linkifiers are the organization's, in the order of their registration.
	Linkifiers []*Linkifier
	// OrgURL is the organization's URL without trailing slash; links to it become relative.
	OrgURL string
	// CodeLanguage is the language of fences that have none (rest-api.md, section 7.3).
	CodeLanguage string
	// TranslateEmoticons is the sender's setting.
	TranslateEmoticons bool
	// Previews turns on the previews of images and videos (rest-api.md, section 7.9).
	Previews bool
	// NoMentions leaves mentions of all forms as text.
	NoMentions bool
	// NoIndentedCode leaves indented lines as paragraphs, for text that comes by mail.
	NoIndentedCode bool

	plain bool // no wildcard mentions and no product emoji either: there is no message
}

// Result is a rendered text and what was found in it.
type Result struct {
	// HTML is safe to be shown as it is.
	HTML string
	// MentionedUsers are the users mentioned, silent mentions left out, in order of appearance.
	MentionedUsers []id.User
	// MentionedGroups are the user groups mentioned, in order of appearance.
	MentionedGroups []id.Group
	// Wildcard says that everybody in the conversation is mentioned. Silent forms don't count
	// (events.md, section 7).
	Wildcard bool
	// HasLink says that there is a link other than to a stream.
	HasLink bool
	// HasImage says that there is a link to an image, previewed or not.
	HasImage bool
	// HasAttachment says that there is a link to an uploaded file.
	HasAttachment bool
	// Uploads are the paths of the uploaded files that are linked, each once: the three segments after user_uploads.
	Uploads []string
}

// Renderer renders texts. It is safe for concurrent use; build it once.
type Renderer struct {
	config Config
	blocks parser.Parser
	pages  sync.Pool
	slots  chan struct{} // long texts that are being rendered
}

// maxShort is the size in bytes up to which texts are rendered however many there are at a time. Longer
// ones wait for each other: rendering needs a processor all the time and, at worst, a kilobyte of memory
// for each byte, so more of them at a time would only cost more memory.
const maxShort = 2000

// New builds a renderer.
func New(config Config) *Renderer {
	return &Renderer{
		config: config,
		blocks: newBlockParser(),
		pages:  sync.Pool{New: func() any { return new(page) }},
		slots:  make(chan struct{}, runtime.GOMAXPROCS(0)),
	}
}

// Render renders a message or anything else that may mention and link (rest-api.md, section 7.1).
// It fails with [ErrTooLong], or with the context's error soon after the context ends.
func (r *Renderer) Render(ctx context.Context, source string, in Context) (Result, error) {
	if len(source) > maxShort {
		select {
		case r.slots <- struct{}{}:
			defer func() { <-r.slots }()
		case <-ctx.Done():
			return Result{}, ctx.Err()
		}
	}
	source = clean(source)
	if !strings.HasSuffix(source, "\n") {
		source += "\n"
	}
	raw := []byte(source)
	w, state := &watch{ctx: ctx}, &parseContext{Context: parser.NewContext(), in: &in}
	doc := r.blocks.Parse(&reader{Reader: text.NewReader(raw), watch: w, blocks: state}, parser.WithContext(state))

	p := r.page(source, raw, &in, w)
	defer r.pages.Put(p)
	p.blocks(doc)
	if len(p.previewed) > maxPreviews {
		in.Previews = false
		p.reset(r, source, raw, &in, w)
		p.blocks(doc)
	}
	switch {
	case w.ended:
		return Result{}, ctx.Err()
	case p.stopped() || utf8.RuneCount(p.out) > MaxHTML:
		return Result{}, ErrTooLong
	}
	result := p.result
	result.HTML = string(p.out)
	return result, nil
}

// RenderDescription renders the description of a stream or an organization and profile values:
// nothing in it mentions anyone, links to streams, shows custom emoji or gets previews. Linkifiers
// apply where the caller passes them (rest-api.md, section 7.1).
func (r *Renderer) RenderDescription(ctx context.Context, source string, in Context) (string, error) {
	in.Users, in.UsersByID, in.Groups, in.Streams, in.Emoji = nil, nil, nil, nil, nil
	in.Previews = false
	in.plain = true
	result, err := r.Render(ctx, source, in)
	return result.HTML, err
}

// clean makes a text valid UTF-8 with line feeds only; almost every text is clean already.
func clean(source string) string {
	if strings.IndexByte(source, '\r') >= 0 {
		source = strings.ReplaceAll(source, "\r\n", "\n")
		source = strings.ReplaceAll(source, "\r", "\n")
	}
	if strings.IndexByte(source, 0) >= 0 {
		source = strings.ReplaceAll(source, "\x00", "")
	}
	return strings.ToValidUTF8(source, "\uFFFD")
}
