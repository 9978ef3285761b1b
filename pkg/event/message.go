package event

import (
	"encoding/json"
	"fmt"
	"strings"

	"chatserver.dev/pkg/id"
)

// Message tells of a message that was sent (events.md, section 3.2). It is recorded by
// store.Tx's send, which gives the id and the time, and so is no [Event] itself.
type Message struct {
	MessageFields
	Content   string
	Rendered  string
	AvatarURL string
	// AvatarHosted says that AvatarURL is on a third party's host: clients that can make it up
	// themselves get null.
	AvatarHosted bool
	Receivers    Audience
}

// MessageFields are the members of a message object that are the same for all clients
// (rest-api.md, section 2.1), without id and timestamp, which come first.
type MessageFields struct {
	Type             string       `json:"type"` // stream or private
	SenderID         id.User      `json:"sender_id"`
	SenderEmail      string       `json:"sender_email"`
	SenderFullName   string       `json:"sender_full_name"`
	SenderRealm      string       `json:"sender_realm_str"`
	Client           string       `json:"client"`
	Subject          string       `json:"subject"`
	TopicLinks       []string     `json:"topic_links"`
	RecipientID      int64        `json:"recipient_id"`
	DisplayRecipient any          `json:"display_recipient"` // the stream's name, or []Person
	StreamID         id.Stream    `json:"stream_id,omitempty"`
	IsMe             bool         `json:"is_me_message"`
	Reactions        []Reaction   `json:"reactions"`
	Submessages      []Submessage `json:"submessages"`
}

// Person is a participant of a private conversation.
type Person struct {
	ID            id.User `json:"id"`
	Email         string  `json:"email"`
	FullName      string  `json:"full_name"`
	IsMirrorDummy bool    `json:"is_mirror_dummy"` // always false
}

// Reaction is an emoji that somebody put on a message.
type Reaction struct {
	EmojiName    string  `json:"emoji_name"`
	EmojiCode    string  `json:"emoji_code"`
	ReactionType string  `json:"reaction_type"`
	UserID       id.User `json:"user_id"`
}

// Submessage belongs to a widget in a message.
type Submessage struct {
	ID        int64      `json:"id"`
	MessageID id.Message `json:"message_id"`
	SenderID  id.User    `json:"sender_id"`
	MsgType   string     `json:"msg_type"`
	Content   string     `json:"content"`
}

// messageForms is what a recorded message event has beside the message: what clients get one of.
type messageForms struct {
	Raw          string `json:"raw"`
	Rendered     string `json:"rendered"`
	AvatarURL    string `json:"avatar_url"`
	AvatarHosted bool   `json:"avatar_hosted"`
}

// EncodeAfterID gives the recorded event's JSON from behind the message's timestamp on, as
// send_message wants it: {"type":"message","message":{"id":1,"timestamp":2, and from here.
func (m Message) EncodeAfterID() (string, error) {
	if m.TopicLinks == nil {
		m.TopicLinks = []string{}
	}
	if m.Reactions == nil {
		m.Reactions = []Reaction{}
	}
	if m.Submessages == nil {
		m.Submessages = []Submessage{}
	}
	fields, err := marshal(m.MessageFields)
	if err != nil {
		return "", fmt.Errorf("encode message event: %w", err)
	}
	forms, err := marshal(messageForms{m.Content, m.Rendered, m.AvatarURL, m.AvatarHosted})
	if err != nil {
		return "", fmt.Errorf("encode message event: %w", err)
	}
	out := strings.Builder{}
	out.Grow(len(fields) + len(forms) + 1)
	out.Write(fields[1:])
	out.WriteByte(',')
	out.Write(forms[1:])
	return out.String(), nil
}

// MessageFacts are what a queue's narrow looks at (events.md, section 2.9).
type MessageFacts struct {
	Type             string          `json:"type"`
	SenderEmail      string          `json:"sender_email"`
	Subject          string          `json:"subject"`
	DisplayRecipient json.RawMessage `json:"display_recipient"`
}

// Stream is the name of the stream that the message is in, or "".
func (f MessageFacts) Stream() string {
	name := ""
	if json.Unmarshal(f.DisplayRecipient, &name) != nil {
		return "" // a list of people
	}
	return name
}

// ParseMessageFacts reads them from a recorded event; ok is false where it is no message.
func ParseMessageFacts(payload []byte) (facts MessageFacts, ok bool) {
	recorded := struct {
		Type    string       `json:"type"`
		Message MessageFacts `json:"message"`
	}{}
	if json.Unmarshal(payload, &recorded) != nil || recorded.Type != "message" {
		return MessageFacts{}, false
	}
	return recorded.Message, true
}
