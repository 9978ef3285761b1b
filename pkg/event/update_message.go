package event

import "chatserver.dev/pkg/id"

// MessageUpdated tells that somebody changed messages: one message's content, or the topic or the
// stream of one or several (events.md, section 3.3). What didn't change is nil.
type MessageUpdated struct {
	// UserID is who changed them, EditTimestamp when, in Unix seconds.
	UserID        id.User `json:"user_id"`
	EditTimestamp int64   `json:"edit_timestamp"`
	// MessageID is the message that was named, MessageIDs all that were changed, that one first.
	MessageID  id.Message   `json:"message_id"`
	MessageIDs []id.Message `json:"message_ids"`
	// StreamName is the stream's before; "" for a private message.
	StreamName string `json:"stream_name,omitempty"`
	*MessagesMoved
	*ContentEdited

	Receivers Audience `json:"-"`
}

// MessagesMoved is the part of [MessageUpdated] about another topic or stream.
type MessagesMoved struct {
	// StreamID and OrigSubject are where the messages were.
	StreamID    id.Stream `json:"stream_id"`
	OrigSubject string    `json:"orig_subject"`
	// PropagateMode is change_one, change_later or change_all.
	PropagateMode string `json:"propagate_mode"`
	// Subject is the new topic, with the links in it.
	Subject    *string  `json:"subject,omitempty"`
	TopicLinks []string `json:"topic_links,omitzero"`
	// NewStreamID is the new stream, or zero.
	NewStreamID id.Stream `json:"new_stream_id,omitempty"`
}

// ContentEdited is the part of [MessageUpdated] about a new content.
type ContentEdited struct {
	OrigContent         string `json:"orig_content"`
	OrigRenderedContent string `json:"orig_rendered_content"`
	// PrevVersion is the version of the renderer that made OrigRenderedContent (events.md, section 7,
	// row 16).
	PrevVersion     int16  `json:"prev_rendered_content_version"`
	Content         string `json:"content"`
	RenderedContent string `json:"rendered_content"`
	IsMe            bool   `json:"is_me_message"`
}

// EventType gives the type on the wire.
func (MessageUpdated) EventType() string { return typeUpdateMessage }

// Audience gives who has the messages before them, with their flags on the one that was named.
func (e MessageUpdated) Audience() Audience { return e.Receivers }

// Change is nil.
func (MessageUpdated) Change() *Change { return nil }
