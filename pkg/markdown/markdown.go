package markdown

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"

	"chatserver.dev/pkg/fair"
	"chatserver.dev/pkg/id"
)

// ErrTooLong says that the HTML would have more than [MaxHTML] characters.
var ErrTooLong = errors.New("rendered text is too long")

// ErrBusy says that a text has waited too long for its turn. It can be rendered later.
var ErrBusy = errors.New("too many long texts are being rendered")

const (
	// renderTime is the timeout of rendering (rest-api.md, section 7.10). No valid text needs more than a fraction of it.
	renderTime = 5 * time.Second
	// waitTime is how long a text waits for its turn before that.
	waitTime = 5 * time.Second
)

// MaxHTML is the maximum length of rendered text, in characters (rest-api.md, section 7.10).
const MaxHTML = 100_000

// Config is the configuration for all texts of a server.
type Config struct {
	// ImageSource returns the URL on this server of an image of another
	// server, or "" if this server doesn't fetch it. Then, or if ImageSource is nil, there is no
	// preview of the image: readers' browsers get its URL only as a link, which they
	// don't load by themselves.
	ImageSource func(address string) string
}

// User is a person or bot that a text may mention.
type User struct {
	// ID identifies the user.
	ID id.User
	// Name is the full name as shown.
	Name string
}

// Context is the context of one text: the settings of its sender and organization, and the
// names that the caller looked up. The zero value resolves no names. Render doesn't change it.
type Context struct {
	// Org is the organization that the text is rendered for, which takes turns with others; 0: the text waits for no turn.
	Org id.Org
	// Users holds active users and bots by lower-cased full name ([strings.ToLower]).
	Users map[string]User
	// UsersByID holds the users of mentions with an ID.
	UsersByID map[id.User]User
	// Groups holds the IDs of user groups by exact name.
	Groups map[string]id.Group
	// Streams holds active streams by exact name.
	Streams map[string]id.Stream
	// Emoji holds the image URLs of active custom emoji by name.
	Emoji map[string]string
	// Linkifiers are the organization's, in the order of their registration.
	Linkifiers []*Linkifier
	// OrgURL is the organization's URL without a trailing slash. Links to it become relative.
	OrgURL string
	// CodeLanguage is the default language of fences (rest-api.md, section 7.3).
	CodeLanguage string
	// TranslateEmoticons is the sender's setting.
	TranslateEmoticons bool
	// Previews turns on the previews of images and videos (rest-api.md, section 7.9).
	Previews bool
	// NoMentions makes mentions of all forms text.
	NoMentions bool
	// NoIndentedCode makes indented lines paragraphs, for text from mail.
	NoIndentedCode bool

	plain bool // the text isn't a message: it has no wildcard mentions and no product emoji either
}

// Result is a rendered text with its mentions and links.
type Result struct {
	// HTML is safe to be shown as it is.
	HTML string
	// MentionedUsers are the users mentioned, without silent mentions, in order of appearance.
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
	// Uploads are the paths of linked uploaded files, each once: the three segments after user_uploads.
	Uploads []string
}

// Renderer renders texts. It is safe for concurrent use; build it once.
type Renderer struct {
	config Config
	blocks parser.Parser
	pages  sync.Pool
	turns  *fair.Semaphore // for texts that take long
}

// maxShort is the length in bytes up to which any number of texts is rendered concurrently, unless linkifiers make them
// expensive. Others wait for a free processor: rendering needs at worst a kilobyte of memory for each byte, and more
// concurrency would only cost more memory. An organization has half of the processors at most.
const maxShort = 2000

// New builds a renderer.
func New(config Config) *Renderer {
	perOrg := max(1, runtime.GOMAXPROCS(0)/2)
	return &Renderer{
		config: config,
		blocks: newBlockParser(),
		pages:  sync.Pool{New: func() any { return new(page) }},
		turns:  fair.NewSemaphore(2*perOrg, perOrg),
	}
}

// Render renders a message, or another text with mentions and links (rest-api.md, section 7.1).
// It fails with [ErrTooLong], with [ErrBusy] if the text waits too long for its turn, or with the context's error soon after
// the context ends or rendering has taken 5 s.
func (r *Renderer) Render(ctx context.Context, source string, in Context) (Result, error) {
	end, err := r.turn(ctx, source, in)
	if err != nil {
		return Result{}, err
	}
	defer end()
	ctx, cancel := context.WithTimeout(ctx, renderTime)
	defer cancel()
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

// turn waits until a text may be rendered. The caller must call end afterwards.
func (r *Renderer) turn(ctx context.Context, source string, in Context) (end func(), err error) {
	if in.Org == 0 || len(source) <= maxShort && quick(in.Linkifiers, len(source)) {
		return func() {}, nil
	}
	waiting, cancel := context.WithTimeout(ctx, waitTime)
	defer cancel()
	end, ok := r.turns.Acquire(waiting, in.Org)
	switch {
	case ok:
		return end, nil
	case ctx.Err() != nil:
		return nil, ctx.Err()
	}
	return nil, ErrBusy
}

// RenderDescription renders the description of a stream or an organization, or a profile value. These
// have no mentions, links to streams, custom emoji or previews. Linkifiers
// apply if in has them (rest-api.md, section 7.1).
func (r *Renderer) RenderDescription(ctx context.Context, source string, in Context) (string, error) {
	in.Users, in.UsersByID, in.Groups, in.Streams, in.Emoji = nil, nil, nil, nil, nil
	in.Previews = false
	in.plain = true
	result, err := r.Render(ctx, source, in)
	return result.HTML, err
}

// clean makes a text valid UTF-8 without null characters, and its line breaks line feeds.
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
