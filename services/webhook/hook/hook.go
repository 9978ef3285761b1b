package hook

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"unicode/utf8"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/catalogue"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/message"
	"chatserver.dev/pkg/permit"
	"chatserver.dev/pkg/spelling"
	"chatserver.dev/pkg/stream"
)

// ErrNoOwner means that the request names no stream and the bot has no owner.
var ErrNoOwner = fault.Bad("This account has no owner to send a private message to; name a stream by the parameter 'stream'.")

// Messages sends messages and notices. It is implemented by message.Service.
type Messages interface {
	// Send sends a message.
	Send(ctx context.Context, who actor.Actor, draft message.Draft) (id.Message, error)
	// NotifyOwner notifies a bot's owner of a problem, in the owner's language, at most once a minute per bot.
	NotifyOwner(ctx context.Context, bot actor.Actor, says catalogue.Notice) error
}

// Target has the parameters that all integrations have: the recipients of the messages.
type Target struct {
	// Name of the stream to send to. Default: a private message to the bot's owner.
	Stream *string `param:"stream"`
	// Topic to send to, instead of the integration's own. Ignored without stream.
	Topic *string `param:"topic"`
}

// Message is a message of an integration. Topic and content are cut to their maximum lengths. Topics are plain text.
type Message struct {
	Topic   string
	Content Markdown
	// Person is the email address of the only recipient, in place of those that the request names; empty: there is none. If
	// that isn't an account that can have messages, the message isn't sent.
	Person string
}

// noTopic is the topic of messages for which the payload has none.
const noTopic = "(no topic)"

// Hook is an integration.
type Hook struct {
	// DecodeTwice says that the third party encodes the address that it is given, which is encoded already. So stream and
	// topic are decoded a second time.
	DecodeTwice bool

	path     string
	product  string
	messages Messages
}

// New returns an integration at /external/path. product is a name such as "HelloWorld".
func New(path, product string, messages Messages) *Hook {
	return &Hook{path: path, product: product, messages: messages}
}

// About returns the integration's declaration.
func (h *Hook) About() endpoint.About {
	return endpoint.About{
		Route: "POST /external/" + h.path, Who: permit.Hook, MaxBody: endpoint.LargeBody,
		Faults: endpoint.Faults{
			ErrNoOwner, ErrUnexpected, ErrPayload, message.ErrEmptyTopic, stream.ErrInvalidName, stream.ErrLongName,
			permit.ErrPost, permit.ErrPostAdmins, permit.ErrPostNewMembers,
		},
		Refused: h.refused,
	}
}

// Send sends messages as the caller, one at a time. It stops at the first error. It succeeds if there are none.
func (h *Hook) Send(ctx context.Context, who actor.Actor, to Target, messages ...Message) (endpoint.Nothing, error) {
	who.Client = "Chatserver" + h.product + "Webhook"
	who.Sending.NoMentions = true
	if h.DecodeTwice {
		to.Stream, to.Topic = decoded(to.Stream), decoded(to.Topic)
	}
	for _, m := range messages {
		if err := h.send(ctx, who, to, m); err != nil {
			return endpoint.Nothing{}, err
		}
	}
	return endpoint.Nothing{}, nil
}

// SendReport is [Hook.Send] for a payload that messages must be made of: without any it fails as [Hook.Invalid] does.
func (h *Hook) SendReport(ctx context.Context, who actor.Actor, to Target, messages []Message) (endpoint.Nothing, error) {
	if len(messages) == 0 {
		return endpoint.Nothing{}, h.Invalid(ctx, who)
	}
	return h.Send(ctx, who, to, messages...)
}

// decoded returns a parameter after another percent-decoding, or as it is if it isn't encoded.
func decoded(parameter *string) *string {
	if parameter == nil {
		return nil
	}
	text, err := url.PathUnescape(*parameter)
	if err != nil || !utf8.ValidString(text) || strings.ContainsRune(text, 0) { // as for every parameter
		return parameter
	}
	return &text
}

func (h *Hook) send(ctx context.Context, who actor.Actor, to Target, m Message) error {
	draft := message.Draft{Type: "private", Content: cutContent(m.Content.text)}
	address := any([]id.User{who.BotOwner})
	if m.Person != "" {
		address = []string{m.Person}
	} else if to.Stream != nil {
		topic := m.Topic
		if to.Topic != nil {
			topic = *to.Topic
		}
		topic = cutTopic(topic)
		if spelling.IsBlank(topic) && to.Topic == nil {
			topic = noTopic
		}
		draft.Type, draft.Topic = "stream", &topic
		address = *to.Stream // encoded as JSON, so that a number is a name, too
	} else if who.BotOwner == 0 {
		return ErrNoOwner
	}
	encoded, err := json.Marshal(address)
	if err != nil {
		return fmt.Errorf("address a message: %w", err)
	}
	text := string(encoded)
	draft.To = &text
	_, err = h.messages.Send(ctx, who, draft)
	if errors.Is(err, message.ErrRendering) {
		draft.Content = asCode(draft.Content)
		_, err = h.messages.Send(ctx, who, draft)
	}
	if errors.Is(err, message.ErrStreamUnknown) || m.Person != "" && unreachable(err) {
		return nil
	}
	return err
}

// unreachable reports whether a private message wasn't sent because of its recipient.
func unreachable(err error) bool {
	return errors.Is(err, message.ErrInvalidEmail) || errors.Is(err, message.ErrGoneUser) || errors.Is(err, message.ErrPrivateOff)
}

// refused notifies the bot's owner of a request that isn't one of the integration's third party.
func (h *Hook) refused(ctx context.Context, who actor.Actor, err error) {
	f := fault.Of(err)
	if f == nil {
		return
	}
	bot := "`" + who.RealEmail + "`"
	var notice catalogue.Notice
	switch f.Code {
	case fault.CodeInvalidJSON, fault.CodeUnsupportedEncoding:
		notice = func(in catalogue.Texts) string { return in.Notices.NotJSON(bot, h.path) }
	case fault.CodeTooLarge:
		notice = func(in catalogue.Texts) string { return in.Notices.TooLarge(bot, h.path) }
	case fault.CodeMissingHeader:
		header := fmt.Sprintf("`%s`", f.Data["header"])
		notice = func(in catalogue.Texts) string { return in.Notices.NoHeader(bot, h.path, header) }
	default:
		return
	}
	// The error is ignored: the request fails anyway, with its own error.
	_ = h.messages.NotifyOwner(ctx, who, notice)
}

// Invalid notifies the bot's owner of a payload that a message can't be made of, and returns [ErrPayload].
func (h *Hook) Invalid(ctx context.Context, who actor.Actor) error {
	// The error is ignored: the request fails anyway, with its own error.
	_ = h.messages.NotifyOwner(ctx, who, func(in catalogue.Texts) string { return in.Notices.NoMessage("`"+who.RealEmail+"`", h.path) })
	return ErrPayload
}
