package event

import "chatserver.dev/pkg/id"

// MessageFlagsUpdated is sent to an account when a flag was added to some of its messages, or removed (events.md,
// section 3.5).
type MessageFlagsUpdated struct {
	// Users are whose flag it is; each receives an event about their own.
	Users     []id.User `json:"-"`
	Operation string    `json:"operation" enum:"add,remove"`
	Flag      string    `json:"flag" enum:"read,starred,collapsed"`
	// Messages are those meant, in the order of the request; none where All is set.
	Messages []id.Message `json:"messages"`
	// All says that it is about every message there is: everything was marked as read.
	All bool `json:"all"`
}

// The operations on flags.
const (
	AddFlag    = "add"
	RemoveFlag = "remove"
)

// MarkedRead returns the event of messages that were marked as read.
func MarkedRead(messages []id.Message, users ...id.User) MessageFlagsUpdated {
	return MessageFlagsUpdated{Users: users, Operation: AddFlag, Flag: "read", Messages: messages}
}

// Kind implements [Event].
func (MessageFlagsUpdated) Kind() Kind { return Kind{Type: "update_message_flags"} }

// Audience is whose flags they are.
func (e MessageFlagsUpdated) Audience() Audience { return Audience{Users: e.Users} }
