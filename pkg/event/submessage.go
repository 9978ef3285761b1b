package event

import "chatserver.dev/pkg/id"

// SubmessageAdded is sent when somebody did something with a widget in a message (events.md, section 3.7).
type SubmessageAdded struct {
	MessageID    id.Message `json:"message_id"`
	SubmessageID int64      `json:"submessage_id"` // rises with each submessage
	SenderID     id.User    `json:"sender_id"`
	MsgType      string     `json:"msg_type"` // what kind of submessage it is; widget for what belongs to a widget
	Content      string     `json:"content"`  // JSON, which clients alone understand

	Receivers Audience `json:"-"`
}

// Kind implements [Event].
func (SubmessageAdded) Kind() Kind { return Kind{Type: "submessage"} }

// Audience is who can see the message.
func (e SubmessageAdded) Audience() Audience { return e.Receivers }
