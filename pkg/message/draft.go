package message

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/fault"
	"chatserver.dev/pkg/id"
	"chatserver.dev/pkg/spelling"
	"chatserver.dev/pkg/store"
)

// Limits of a message (http-api.md, "Limits").
const (
	MaxContent = 10_000 // bytes
	MaxTopic   = 60     // characters
)

// The errors of invalid messages and recipients (rest-api.md, section 2.2.2).
var (
	ErrType         = fault.Bad("Invalid message type")
	ErrNoStream     = fault.Bad("Missing stream")
	ErrNoTopic      = fault.Bad("Missing topic")
	ErrEmptyTopic   = fault.Bad("Topic can't be empty")
	ErrTopicLong    = fault.Bad("Topic is too long: it has %d characters, the limit is %d")
	ErrTopicNul     = fault.Bad("Topic must not contain null bytes")
	ErrNoRecipients = fault.Bad("Message must have recipients")
	ErrEmpty        = fault.Bad("Message must not be empty")
	ErrNul          = fault.Bad("Message must not contain null bytes")
	ErrContentLong  = fault.Bad("Message is too long: it has %d bytes, the limit is %d")
	ErrRendering    = fault.Bad("Unable to render message")
	ErrInvalidEmail = fault.Bad("Invalid email '%s'")
	ErrInvalidUser  = fault.Bad("Invalid user ID %d")
	ErrPrivateOff   = fault.Bad("Private messages are disabled in this organization.")
	ErrGoneUser     = fault.Bad("'%s' is no longer using this server.")
	ErrLocalID      = fault.Missing("local_id")
	ErrMirrored     = fault.Plain("Invalid mirrored message")
	ErrForged       = fault.Plain("User not authorized for this query")
)

// ErrBusy says that long messages of the organization are being rendered, and that this one can be sent again.
var ErrBusy = fault.Limit(fault.CodeNone, "Too many long messages are being processed at the moment. Try again in a few seconds.")

// Draft is a message to send.
type Draft struct {
	Type    string  // stream or private
	To      *string // as the client wrote it; nil: not given
	Topic   *string // nil: not given
	Content string
	// QueueID is the queue whose copy of the event contains LocalID (events.md, section 2.12).
	QueueID string
	LocalID string
	// Key is a text that the client sends again if it repeats a request whose answer it didn't receive; empty: none. With the same key, an
	// account sends one message within a day.
	Key string
	// Mirrored says that the client sends in the name of another sender, Forged that it sets a field that only the server
	// may set, or names another organization. Neither is allowed.
	Mirrored, Forged bool
	// Widget is the parameter widget_content, as JSON; nil: not given.
	Widget *string

	readBy []id.User // receivers for whom it is marked as read
	later  *delivery // nil: it is sent now
	once   *once     // of Key; nil: none
}

// compose returns the event of a message and its row, without its recipients.
func compose(who actor.Actor, kind, topic string, body Rendered, draft Draft) (event.Message, store.NewMessage) {
	e := event.Message{
		MessageFields: event.MessageFields{
			Type: kind, SenderID: who.User, SenderEmail: who.Email, SenderFullName: who.FullName, SenderRealm: who.Subdomain,
			Client: who.Client, Subject: topic, IsMe: body.Attributes&IsMe != 0,
		},
		Content: body.Content, Rendered: body.HTML, AvatarURL: who.AvatarURL, AvatarHosted: who.AvatarHosted, Widget: body.widget != "",
	}
	return e, store.NewMessage{
		Sender: who.User, Topic: topic, Content: body.Content, Rendered: body.HTML, Renderer: RendererVersion,
		Client: who.Client, Flags: int16(attributes(who, body)), Widget: body.widget, Attachments: body.Attachments,
		Audience: event.Audience{Queue: draft.QueueID, LocalID: draft.LocalID},
	}
}

// CheckContent returns the content as it is stored, or [ErrEmpty], [ErrNul] or [ErrContentLong].
func CheckContent(content string) (string, error) {
	content = strings.TrimRightFunc(content, unicode.IsSpace)
	switch {
	case content == "":
		return "", ErrEmpty
	case strings.ContainsRune(content, 0):
		return "", ErrNul
	case len(content) > MaxContent:
		return "", ErrContentLong.Format(len(content), MaxContent)
	}
	return content, nil
}

// CheckTopic returns the topic of a stream message as it is stored, see [spelling.Name], or
// [ErrNoTopic] (nil), [ErrEmptyTopic], [ErrTopicNul] or [ErrTopicLong].
func CheckTopic(topic *string) (string, error) {
	if topic == nil {
		return "", ErrNoTopic
	}
	trimmed := spelling.Name(*topic)
	switch {
	case spelling.IsBlank(trimmed):
		return "", ErrEmptyTopic
	case strings.ContainsRune(trimmed, 0):
		return "", ErrTopicNul
	case utf8.RuneCountInString(trimmed) > MaxTopic:
		return "", ErrTopicLong.Format(utf8.RuneCountInString(trimmed), MaxTopic)
	}
	return trimmed, nil
}
