package event

import "chatserver.dev/pkg/id"

// MessagesDeleted is sent when messages of one topic, or one private message, were deleted (events.md, section 3.4).
// It names no sender, as http-api.md says of feature level 13. Clients that don't support several at once need an event for each:
// [OneByOne].
type MessagesDeleted struct {
	MessageIDs  []id.Message    `json:"message_ids"`
	MessageType string          `json:"message_type" enum:"stream,private"`
	StreamID    id.Stream       `json:"stream_id,omitempty"`    // of stream messages
	Topic       *string         `json:"topic,omitempty"`        // of stream messages
	RecipientID id.Conversation `json:"recipient_id,omitempty"` // the conversation of a private message

	Receivers Audience `json:"-"`
}

// Kind implements [Event].
func (MessagesDeleted) Kind() Kind { return Kind{Type: "delete_message"} }

// Audience is who could see the messages.
func (e MessagesDeleted) Audience() Audience { return e.Receivers }

// Forms returns the events that report the deletion to every client, whatever it supports.
func (e MessagesDeleted) Forms() []Event {
	if len(e.MessageIDs) == 1 {
		return []Event{e}
	}
	bulk := e
	bulk.Receivers.Deletion = InBulk
	forms := []Event{bulk}
	for _, message := range e.MessageIDs {
		single := e
		single.MessageIDs = []id.Message{message}
		single.Receivers.Deletion = OneByOne
		forms = append(forms, single)
	}
	return forms
}
