package store

import (
	"encoding/json"
	"time"

	"chatserver.dev/pkg/event"
	"chatserver.dev/pkg/id"
)

// NewMessage is a message that is ready to be stored. It goes to a stream or to a conversation. The names are those of
// the type new_message; what is zero and may be left out is null there. Long texts are arguments of their own.
type NewMessage struct {
	Sender id.User   `json:"sender"`
	Stream id.Stream `json:"stream,omitempty"` // zero for a private message
	// StreamVersion is the version of the stream with which the sender's permission was checked. AccessBy is the account
	// whose subscription permits sending (zero: none is needed). If either has changed, nothing is stored.
	StreamVersion int64   `json:"stream_version,omitempty"`
	AccessBy      id.User `json:"access_by,omitempty"`

	Conversation id.Conversation `json:"conversation,omitempty"` // zero for a stream message

	Topic    string `json:"topic"`
	Content  string `json:"-"`
	Rendered string `json:"-"`
	Renderer int16  `json:"renderer"` // version of the renderer
	Client   string `json:"client"`
	Flags    int16  `json:"flags"`

	Flagged       []Flagged `json:"flagged,omitempty"`        // their flags are stored if they are subscribed
	FlaggedAnyway []Flagged `json:"flagged_anyway,omitempty"` // their flags are stored in any case

	Widget string `json:"widget,omitempty"` // content of the first submessage, as JSON; empty: there is none
	// Attachments are the uploaded files in the message. The sender receives an event for each, before the message's.
	Attachments []id.Attachment `json:"attachments,omitempty"`

	Payload  string         `json:"-"` // event.Message.EncodeAfterID
	Audience event.Audience `json:"-"`
	BotCalls
}

// BotCalls are outgoing webhook bots to be called with a message (package outgoing).
type BotCalls struct {
	Bots  []id.User `json:"bots,omitempty"`
	Cause Cause     `json:"cause,omitempty"`
}

// Cause is why a bot is called.
type Cause string

// The causes, as the interface names them.
const (
	ByMention        Cause = "mention"
	ByPrivateMessage Cause = "private_message"
)

// Flagged is an account and the flags of its copy of a message.
type Flagged struct {
	User  id.User     `json:"user_id"`
	Flags event.Flags `json:"flags"`
}

// NarrowedMessage is a message with its reader's flags.
type NarrowedMessage struct {
	ID           id.Message
	Sender       id.User
	Stream       id.Stream       // zero for a private message
	Conversation id.Conversation // zero for a message to a stream
	StreamName   string          // "" for a private message
	Members      []id.User       // of the conversation, ascending
	Topic        string
	Content      string // as it was written
	Rendered     string // HTML
	Client       string
	Attributes   int16 // messages.flags
	Sent         time.Time
	Edited       *time.Time      // nil: never
	Edits        json.RawMessage // nil: none
	// Flags are all flags that clients see. A message that the reader didn't receive is read and historical.
	Flags event.Flags
}

// narrowedColumns are the columns of a [NarrowedMessage], in its order and without the flags.
const narrowedColumns = `m.message_id, m.sender_id, coalesce(m.stream_id, 0), coalesce(m.conversation_id, 0), coalesce(m.name, ''),
	coalesce(m.members, '{}'), m.topic, m.content, m.rendered, m.client, m.flags, m.sent_at, m.edited_at, m.edits`
