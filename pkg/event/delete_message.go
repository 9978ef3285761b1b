package event

import "chatserver.dev/pkg/id"

// MessagesDeleted tells that messages of one topic, or one private message, are gone (events.md,
// section 3.4). It names no sender, as http-api.md says of feature level 13. Clients that can't cope with
// several at once need an event for each: [OneByOne].
type MessagesDeleted struct {
	MessageIDs []id.Message `json:"message_ids"`
	// MessageType is stream or private.
	MessageType string `json:"message_type"`
	// StreamID and Topic are where stream messages were.
	StreamID id.Stream `json:"stream_id,omitempty"`
	Topic    *string   `json:"topic,omitempty"`
	// RecipientID is a private message's.
	RecipientID id.Conversation `json:"recipient_id,omitempty"`

	Receivers Audience `json:"-"`
}

// EventType gives the type on the wire.
func (MessagesDeleted) EventType() string { return typeDeleteMessage }

// Audience gives who had the messages before them.
func (e MessagesDeleted) Audience() Audience { return e.Receivers }

// Change is nil.
func (MessagesDeleted) Change() *Change { return nil }

// Forms gives the events that tell every client of the deletion, whatever it can cope with.
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
