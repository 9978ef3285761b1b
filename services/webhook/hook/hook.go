package hook

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/endpoint"
	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/message"
	"chatserver.dev/pkg/permit"
	"chatserver.dev/pkg/stream"
)

// ErrNoOwner says that there is nobody to send a private message to.
var ErrNoOwner = fault.Bad("This account has no owner to send a private message to; name a stream by the parameter 'stream'.")

// Messages sends messages and notices; message.Service does.
type Messages interface {
	// Send sends a message.
	Send(ctx context.Context, who actor.Actor, draft message.Draft) (id.Message, error)
	// NotifyOwner notifies a bot's owner of a problem, at most once a minute per bot.
	NotifyOwner(ctx context.Context, bot actor.Actor, content string) error
}

// Target is where the message goes: parameters that all integrations have.
type Target struct {
	// Name of the stream to send to. Without it the bot's owner gets a private message.
	Stream *string `param:"stream"`
	// Topic to send to in place of the integration's own. Ignored without stream.
	Topic *string `param:"topic"`
}

// Message is what an integration says. What is too long is cut. Topics are shown as they are; they have no
// Markdown.
type Message struct {
	Topic   string
	Content Markdown
}

// Hook is an integration.
type Hook struct {
	path     string
	product  string
	messages Messages
}

// New makes an integration at /external/path for a product, "HelloWorld".
func New(path, product string, messages Messages) *Hook {
	return &Hook{path: path, product: product, messages: messages}
}

// About is the integration's declaration.
func (h *Hook) About() endpoint.About {
	return endpoint.About{
		Route: "POST /external/" + h.path, Who: permit.Hook, MaxBody: endpoint.LargeBody,
		Faults: endpoint.Faults{
			ErrNoOwner, message.ErrEmptyTopic, stream.ErrInvalidName, stream.ErrLongName,
			permit.ErrPost, permit.ErrPostAdmins, permit.ErrPostNewMembers,
		},
		Refused: h.refused,
	}
}

// Send sends the integration's messages as the caller, one at a time; none is a success, too. It ends
// with the first that can't be sent.
func (h *Hook) Send(ctx context.Context, who actor.Actor, to Target, messages ...Message) (endpoint.Nothing, error) {
	who.Client = "Chatserver" + h.product + "Webhook"
	who.Sending.NoMentions = true // whatever an integration makes of its payload
	for _, m := range messages {
		if err := h.send(ctx, who, to, m); err != nil {
			return endpoint.Nothing{}, err
		}
	}
	return endpoint.Nothing{}, nil
}

func (h *Hook) send(ctx context.Context, who actor.Actor, to Target, m Message) error {
	draft := message.Draft{Type: "private", Content: message.CutContent(m.Content.text)}
	address := any([]id.User{who.BotOwner})
	if to.Stream != nil {
		topic := m.Topic
		if to.Topic != nil {
			topic = *to.Topic
		}
		topic = cutTopic(topic)
		draft.Type, draft.Topic = "stream", &topic
		address = *to.Stream // as JSON, so that digits are a name, too
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
	if errors.Is(err, message.ErrStreamUnknown) {
		return nil
	}
	return err
}

// refused notifies the bot's owner of a payload that isn't JSON.
func (h *Hook) refused(ctx context.Context, who actor.Actor, err error) {
	f := fault.Of(err)
	if f == nil || f.Code != fault.CodeInvalidJSON {
		return
	}
	content := fmt.Sprintf("Your bot `%s` got a request for the integration %s that is not JSON. "+
		"Please check what the sender is configured to send, and where.", who.RealEmail, h.path)
	// The request fails anyway, and says why.
	_ = h.messages.NotifyOwner(ctx, who, content)
}
