package event

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"chatserver.dev/pkg/id"
)

// Message is sent to the receivers of a message (events.md, section 3.2). It is recorded by store.Tx's send, which
// assigns the id and the time, and so is no [Event] itself.
type Message struct {
	MessageFields
	Content   string
	Rendered  string
	AvatarURL string
	// AvatarHosted says that AvatarURL is on a third party's host: clients that can make it up
	// themselves get null.
	AvatarHosted bool
	// Widget says that send_messages writes the submessages, of which there is one.
	Widget bool
}

// MessageFields are the members of a message object that are the same for all clients
// (rest-api.md, section 2.1), without id and timestamp, which come first.
type MessageFields struct {
	Type string `json:"type"` // stream or private
	// Who sent it.
	SenderID id.User `json:"sender_id"`
	// Address of the sender as others see it.
	SenderEmail string `json:"sender_email"`
	// Name of the sender.
	SenderFullName string `json:"sender_full_name"`
	// Subdomain of the sender's organization.
	SenderRealm string `json:"sender_realm_str"`
	// Name of the program that sent it.
	Client string `json:"client"`
	// Topic; empty for private messages.
	Subject string `json:"subject"`
	// Addresses that the topic links to, by the organization's patterns.
	TopicLinks []string `json:"topic_links"`
	// ID of the stream as a recipient, or of the private conversation.
	RecipientID      int64 `json:"recipient_id"`
	DisplayRecipient any   `json:"display_recipient"` // the stream's name, or the participants of a private conversation
	// The stream; left out for private messages.
	StreamID id.Stream `json:"stream_id,omitempty"`
	// Whether it began with "/me", and is shown as what the sender does.
	IsMe bool `json:"is_me_message"`
	// Emoji that people put on it.
	Reactions []Reaction `json:"reactions"`
	// What belongs to a widget in it, in the order in which it was sent.
	Submessages []Submessage `json:"submessages"` // the last member: see EncodeAfterID
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
	// Name of the emoji, as in "wave".
	EmojiName string `json:"emoji_name"`
	// Its code points in hexadecimal, joined by "-"; the ID of a custom emoji.
	EmojiCode string `json:"emoji_code"`
	// unicode_emoji, realm_emoji or zulip_extra_emoji.
	ReactionType string `json:"reaction_type"`
	// Who put it there.
	UserID id.User `json:"user_id"`
}

// Submessage belongs to a widget in a message.
type Submessage struct {
	// ID of the submessage.
	ID int64 `json:"id"`
	// The message that it belongs to.
	MessageID id.Message `json:"message_id"`
	// Who sent it.
	SenderID id.User `json:"sender_id"`
	// What kind of submessage it is.
	MsgType string `json:"msg_type"`
	// Data for the widget.
	Content string `json:"content"`
}

// messageForms is the data of a recorded message event from which each client gets one form.
type messageForms struct {
	Raw          string `json:"raw"`
	Rendered     string `json:"rendered"`
	AvatarURL    string `json:"avatar_url"`
	AvatarHosted bool   `json:"avatar_hosted"`
}

// chosenForm is what a client gets of them.
type chosenForm struct {
	Content     string  `json:"content"`      // Markdown as it was written, or HTML
	ContentType string  `json:"content_type"` // text/x-markdown or text/html
	AvatarURL   *string `json:"avatar_url"`   // of the sender's picture; null: the client makes it up from the email address
}

// EncodeAfterID returns the part of the recorded event's JSON that follows {"type":"message","message":{"id":1,"timestamp":2,
// for the SQL function send_messages.
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
	if m.Widget {
		fields = append(bytes.TrimSuffix(fields, []byte(`,"submessages":[]}`)), '}')
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

// MessageFacts are the properties of a message that a queue's narrow depends on (events.md, section 2.9).
type MessageFacts struct {
	Type             string          `json:"type"`
	SenderEmail      string          `json:"sender_email"`
	Subject          string          `json:"subject"`
	DisplayRecipient json.RawMessage `json:"display_recipient"`
}

// Stream returns the name of the message's stream, or "".
func (f MessageFacts) Stream() string {
	name := ""
	if json.Unmarshal(f.DisplayRecipient, &name) != nil {
		return "" // a list of people
	}
	return name
}

// ParseMessageFacts returns the facts from a recorded event; ok is false if it isn't a message.
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
