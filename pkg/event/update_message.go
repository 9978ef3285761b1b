package event

import "chatserver.dev/pkg/id"

// MessageUpdated is sent when somebody changed messages: one message's content, or the topic or the stream of one or
// several (events.md, section 3.3). What didn't change is nil.
type MessageUpdated struct {
	UserID        id.User      `json:"user_id"`        // who changed them
	EditTimestamp int64        `json:"edit_timestamp"` // when, in Unix seconds
	MessageID     id.Message   `json:"message_id"`     // the message that was named
	MessageIDs    []id.Message `json:"message_ids"`    // all that were changed, that one first
	// StreamName is that of the stream before; absent for a private message.
	StreamName string `json:"stream_name,omitempty"`
	*MessagesMoved
	*ContentEdited

	Receivers Audience `json:"-"`
}

// MessagesMoved is the part of [MessageUpdated] about another topic or stream.
type MessagesMoved struct {
	StreamID      id.Stream `json:"stream_id"`    // before
	OrigSubject   string    `json:"orig_subject"` // the topic before
	PropagateMode string    `json:"propagate_mode" enum:"change_one,change_later,change_all"`
	Subject       *string   `json:"subject,omitempty"`    // the new topic
	TopicLinks    []string  `json:"topic_links,omitzero"` // that the new topic links to
	// NewStreamID is the new stream; absent where it is the same.
	NewStreamID id.Stream `json:"new_stream_id,omitempty"`
}

// ContentEdited is the part of [MessageUpdated] about a new content.
type ContentEdited struct {
	OrigContent         string `json:"orig_content"`
	OrigRenderedContent string `json:"orig_rendered_content"`
	// PrevVersion is the version of the renderer that made orig_rendered_content (events.md, section 7,
	// row 16).
	PrevVersion     int16  `json:"prev_rendered_content_version"`
	Content         string `json:"content"`
	RenderedContent string `json:"rendered_content"`
	IsMe            bool   `json:"is_me_message"`
}

// Kind implements [Event].
func (MessageUpdated) Kind() Kind { return Kind{Type: "update_message"} }

// Audience is who can see the messages, with their flags on the one that was named.
func (e MessageUpdated) Audience() Audience { return e.Receivers }
