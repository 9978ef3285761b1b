package hook

import (
	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/spelling"
)

// Faults of payloads that can be decoded.
var (
	// ErrPayload means that a payload has nothing that a message could be made of, see [Hook.Invalid].
	ErrPayload = fault.Plain("Invalid payload")
	// ErrNoTopic means that a payload, whose author chooses the topic, has none.
	ErrNoTopic = fault.Plain("Topic can't be empty")
	// ErrNoContent means that a payload, whose author writes the message, has none.
	ErrNoContent = fault.Plain("Content can't be empty")
)

// Composed returns the message that somebody composed for a bot in another service, as its payload's members topic (or
// subject) and content. The topic may be absent if the request names one. The content is Markdown.
func Composed(d Document, to Target) (Message, error) {
	m := Message{Topic: Line(d.Or("topic", "subject")), Content: Written(d.Text("content"))}
	switch {
	case spelling.IsBlank(m.Topic) && to.Topic == nil:
		return Message{}, ErrNoTopic
	case m.Content.Empty():
		return Message{}, ErrNoContent
	default:
		return m, nil
	}
}
